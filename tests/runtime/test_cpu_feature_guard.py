"""Tests of the override of cpu_feature_guard.cc: a library for newer CPUs ends the program with a message."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCE = Path(
    os.environ["RUNFILES_DIR"],
    "_main/third_party/tensorflow/overrides/core/tensorflow/core/platform/cpu_feature_guard.cc",
)
_HEADER = "namespace tensorflow::port { void InfoAboutUnusedCPUFeatures(); }\n"
# Other code of the library, which runs when it is loaded: it has an instruction of the level.
_PROGRAM = (
    _HEADER
    + """
#include <cstdio>
static const int early = [] {
#ifdef __AVX2__
  asm volatile("vpaddd %ymm0, %ymm0, %ymm0");
#elif defined(__SSE4_2__)
  asm volatile("pcmpgtq %xmm0, %xmm0");
#endif
  return 0;
}();
int main() {
  tensorflow::port::InfoAboutUnusedCPUFeatures();
  std::puts("ran");
}
"""
)
_LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
_V2 = {"sse3": "SSE3", "ssse3": "SSSE3", "sse4.1": "SSE4.1", "sse4.2": "SSE4.2"}
_V3 = {"avx": "AVX", "fma": "FMA", "avx2": "AVX2"}
# A feature that qemu's CPU does not have, and the instructions that the message names. Qemu never has AVX-512.
_MISSING = [
    *(("x86-64-v2", f"max,-{flag}", name) for flag, name in _V2.items()),
    *(("x86-64-v3", f"max,-{flag}", name) for flag, name in (_V2 | _V3).items()),
    ("x86-64-v4", "max", "AVX512F"),
]
_MESSAGE = "The TensorFlow library was compiled for CPUs with {}, which this CPU does not have.\n"
_ILLEGAL_INSTRUCTION = "uncaught target signal 4"


def _compiled(source: str, level: str, folder: Path) -> Path:
    """Compiles a program with the source of the override for a level of x86-64; skips the test without the tools."""
    for tool in ("g++", "qemu-x86_64"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} on PATH")
    header = folder / "tensorflow/core/platform/cpu_feature_guard.h"
    header.parent.mkdir(parents=True, exist_ok=True)
    header.write_text(_HEADER)
    (folder / "guard.cc").write_text(source)
    (folder / "main.cc").write_text(_PROGRAM)
    program = folder / level
    words = ["g++", "-std=c++17", "-Os", "-Wall", f"-march={level}", "-static", f"-I{folder}"]
    sources = [folder / "main.cc", folder / "guard.cc"]
    subprocess.run([*words, *sources, "-o", program], check=True)
    return program


def _run(program: Path, cpu: str) -> subprocess.CompletedProcess[str]:
    words = ["qemu-x86_64", "-cpu", cpu, program]
    return subprocess.run(words, check=False, capture_output=True, text=True)


@pytest.fixture(name="programs", scope="module")
def _programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("guard")
    source = _SOURCE.read_text(encoding="utf-8")
    return {level: _compiled(source, level, folder) for level in _LEVELS}


@pytest.mark.parametrize(("level", "cpu", "name"), _MISSING)
def test_missing_instructions_are_named(
    programs: dict[str, Path], level: str, cpu: str, name: str
) -> None:
    done = _run(programs[level], cpu)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.startswith(_MESSAGE.format(name))
    assert _ILLEGAL_INSTRUCTION not in done.stderr


@pytest.mark.parametrize(
    ("level", "cpu"),
    [("x86-64", "max,-sse3,-ssse3"), ("x86-64-v2", "max,-avx"), ("x86-64-v3", "max")],
)
def test_cpu_with_the_instructions_runs_it(programs: dict[str, Path], level: str, cpu: str) -> None:
    done = _run(programs[level], cpu)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n", "")


@pytest.mark.parametrize(
    ("part", "changed"), [(r"constructor\(101\)", "constructor(65535)"), (r'.*"AVX2".*\n', "")]
)
def test_later_or_without_a_check_the_program_is_killed(
    part: str, changed: str, tmp_path: Path
) -> None:
    """The control: the check comes first, and for each instruction."""
    source, count = re.subn(part, changed, _SOURCE.read_text(encoding="utf-8"))
    assert count == 1
    done = _run(_compiled(source, "x86-64-v3", tmp_path), "max,-avx2")
    assert _ILLEGAL_INSTRUCTION in done.stderr
    assert "compiled for CPUs" not in done.stderr
