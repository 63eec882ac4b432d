"""Tests of ops_to_register.h: static assertions are compiled against it."""

import subprocess
from pathlib import Path

import compilers
import pytest
from selections import selection

from tfcarve.emit.header import header
from tfcarve.selection.selection import Selection


def _compile(
    compiler: str, folder: Path, selected: Selection, body: str
) -> subprocess.CompletedProcess[str]:
    (folder / "ops_to_register.h").write_bytes(header(selected))
    (folder / "use.cc").write_text(f'#include "ops_to_register.h"\n{body}\n')
    command = [compiler, "-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "use.cc"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


_ASSERTIONS = """
static_assert(SHOULD_REGISTER_OP("A"));
static_assert(SHOULD_REGISTER_OP("B"));
static_assert(SHOULD_REGISTER_OP("_Arg") == false);
static_assert(SHOULD_REGISTER_OP("") == false);
static_assert(SHOULD_REGISTER_OP_KERNEL("AOp<CPU, float>"));
static_assert(SHOULD_REGISTER_OP_KERNEL("AOp < CPU,float >"));
static_assert(SHOULD_REGISTER_OP_KERNEL("AOp<CPU, floa>") == false);
static_assert(SHOULD_REGISTER_OP_KERNEL("ArgOp") == false);
static_assert(SHOULD_REGISTER_OP_GRADIENT == false);
"""


@pytest.mark.parametrize("compiler", compilers.ALL)
def test_selected_ops_and_classes(tmp_path: Path, compiler: str) -> None:
    selected = selection(
        [("B", "AOp<CPU, float>", "k.cc")], [("A", "o.cc")], [("_Arg", "ArgOp", "f.cc")]
    )
    done = _compile(compiler, tmp_path, selected, _ASSERTIONS)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", compilers.ALL)
def test_two_thousand_classes(tmp_path: Path, compiler: str) -> None:
    selected = selection([(f"Op{i}", f"Class{i}<CPUDevice, float>", "k.cc") for i in range(2000)])
    assertions = "\n".join(
        f'static_assert(SHOULD_REGISTER_OP_KERNEL("Class{i}<CPUDevice, float>") == {str(i < 2000).lower()});'
        for i in (0, 1, 999, 1999, 2000)
    )
    done = _compile(compiler, tmp_path, selected, assertions)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", compilers.ALL)
def test_nothing_selected(tmp_path: Path, compiler: str) -> None:
    done = _compile(compiler, tmp_path, selection(), 'static_assert(!SHOULD_REGISTER_OP("A"));')
    assert done.returncode == 0, done.stderr


def test_same_selection_same_bytes() -> None:
    rows = [("A", "AOp", "k.cc"), ("B", "BOp", "k.cc")]
    assert header(selection(rows)) == header(selection(rows[::-1]))
