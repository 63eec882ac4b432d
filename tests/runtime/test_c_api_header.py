"""Tests of the C API header: it and the example in its comment compile as C and as C++."""

import os
import re
import subprocess
from pathlib import Path

import pytest


def _header() -> Path:
    return Path(os.environ["RUNFILES_DIR"], os.environ["C_API_HEADER"])


@pytest.mark.parametrize(
    "compiler", [("gcc", "-x", "c", "-std=c99"), ("g++", "-x", "c++", "-std=c++17")]
)
def test_example_compiles(compiler: tuple[str, ...], tmp_path: Path) -> None:
    header = _header()
    comment = header.read_text(encoding="utf-8").partition("#ifndef")[0]
    code = re.findall(r"^//(?:   (.*))?$", comment, re.MULTILINE)
    source = tmp_path / "example.c"
    source.write_text("\n".join(code))
    assert "tfcarve_session_run(" in source.read_text()
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{header.parent}"]
    subprocess.run([*compiler, *flags, source], check=True)
