"""protoc has the minor version of the protobuf that its output is compiled with."""

import json
import os
import subprocess
from pathlib import Path

RUNFILES = Path(os.environ["RUNFILES_DIR"])


def test_version() -> None:
    """Protobuf's headers require the same minor version."""
    pin = json.loads((RUNFILES / os.environ["PINS"]).read_text())["protobuf"]
    done = subprocess.run(
        [RUNFILES / os.environ["PROTOC"], "--version"], capture_output=True, text=True, check=True
    )
    name, version = done.stdout.split()
    assert name == "libprotoc"
    assert version.split(".")[:2] == pin["version"].split(".")[:2]
