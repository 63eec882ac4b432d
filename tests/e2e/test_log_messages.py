"""`log_messages = False`: the library has no log messages, but the messages of returned errors."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from e2e.builds import app_workspace
from tfcarve.app.workspace import Workspace

_TARGETS = {"with": "//:tensorflow", "without": "//options:without_log_messages"}
# A log message and a failed CHECK contain the name of their source file.
_SOURCE = re.compile(rb"tensorflow/(?:core|tsl)/[\w/]+\.(?:cc|h)\0")


@pytest.fixture(scope="module", name="built")
def _built() -> Iterator[tuple[Workspace, Mapping[str, Mapping[str, Path]]]]:
    """The app, and the shared library and run_model of each library."""
    with app_workspace.opened() as workspace:
        groups = "--output_groups=default,programs"
        found = {}
        for name, target in _TARGETS.items():
            found[name] = workspace.build([target], [groups]).named(target, "default", "programs")
        yield workspace, found


def test_messages_are_removed(built: tuple[Workspace, Mapping[str, Mapping[str, Path]]]) -> None:
    data = {name: f["libtensorflow-core.so"].read_bytes() for name, f in built[1].items()}
    assert len(data["without"]) < len(data["with"])
    failed = {name: content.count(b"Check failed") for name, content in data.items()}
    assert failed["with"] > 50
    assert failed["without"] == 0
    # Registrations contain source names, too.
    sources = {name: len(set(_SOURCE.findall(content))) for name, content in data.items()}
    assert sources["without"] < sources["with"] / 2


def test_errors_keep_their_message(
    built: tuple[Workspace, Mapping[str, Mapping[str, Path]]], tmp_path: Path
) -> None:
    workspace, found = built
    array = tmp_path / "input.npy"
    np.save(array, np.zeros((1, 3), np.float32))
    messages = []
    for files in found.values():
        command = [files["run_model"], workspace.folder / "tiny.pb", f"--input=input={array}"]
        output = f"--output=output={tmp_path / 'output.npy'}"
        done = subprocess.run([*command, output], check=False, text=True, capture_output=True)
        assert done.returncode == 1
        messages.append([line for line in done.stderr.splitlines() if "Matrix size" in line])
    assert messages[0] == messages[1] != []
