"""Tests of the headers of the C interface: they and the examples in their comments compile as C and as C++."""

import os
import re
import subprocess
from pathlib import Path

import pytest

_FLAGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")


def _header(name: str) -> Path:
    return Path(os.environ["RUNFILES_DIR"], os.environ["C_API_HEADERS"]).with_name(name)


@pytest.mark.parametrize(
    ("name", "compiler"),
    [
        ("tfcarve_c_api.h", ("gcc", "-x", "c", "-std=c99")),
        ("tfcarve_c_api.h", ("g++", "-x", "c++", "-std=c++17")),
        ("tfcarve.hpp", ("g++", "-x", "c++", "-std=c++17")),
        ("tfcarve.hpp", ("g++", "-x", "c++", "-std=c++20", "-fno-exceptions", "-fno-rtti")),
    ],
)
def test_example_compiles(name: str, compiler: tuple[str, ...], tmp_path: Path) -> None:
    header = _header(name)
    comment = header.read_text(encoding="utf-8").partition("#ifndef")[0]
    code = re.findall(r"^//(?:   (.*))?$", comment, re.MULTILINE)
    source = tmp_path / "example.c"
    source.write_text("\n".join(code))
    assert f'#include "{name}"' in source.read_text()
    subprocess.run([*compiler, *_FLAGS, f"-I{header.parent}", source], check=True)
