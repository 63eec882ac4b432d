"""Compiles the fake carved library fake_library.c."""

from __future__ import annotations

import subprocess
from pathlib import Path

from c_interface import header


def built(version: int, output: Path) -> Path:
    """Compiles the library with a version of the interface; returns `output`."""
    source = Path(__file__).with_name("fake_library.c")
    flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{header.PATH.parent}"]
    subprocess.run(["gcc", *flags, f"-DVERSION={version}", source, "-o", output], check=True)
    return output
