"""Compiles the fake carved library fake_library.c."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def header() -> Path:
    """The header of the C interface."""
    return Path(os.environ["RUNFILES_DIR"], os.environ["TFCARVE_C_API_HEADER"])


def built(version: int, output: Path) -> Path:
    """Compiles the library with a version of the interface; returns `output`."""
    source = Path(__file__).with_name("fake_library.c")
    flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{header().parent}"]
    subprocess.run(["gcc", *flags, f"-DVERSION={version}", source, "-o", output], check=True)
    return output
