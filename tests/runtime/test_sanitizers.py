"""The loops of tools/runtime/math under AddressSanitizer and UBSan, and the threads under ThreadSanitizer."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from runtime import math_programs
from runtime.math_programs import ROOT

_MEMORY = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_THREADS = ("-fsanitize=thread",)
_SHARED_WORK = tuple(sorted(ROOT.glob("tools/runtime/threads/*.cc")))


def _run(
    sources: Sequence[Path], options: Sequence[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Compiles a program with a sanitizer and runs it."""
    math_programs.require("g++")
    program = folder / "program"
    common = ("-std=c++17", "-O2", "-g1", "-pthread", f"-I{ROOT}")
    subprocess.run(["g++", *common, *options, *sources, "-o", program], check=True)
    return subprocess.run([program], check=False, capture_output=True, text=True)


@pytest.mark.parametrize("test", ["math_test.cc", "byte_math_test.cc"])
def test_loops(test: str, tmp_path: Path) -> None:
    done = _run([ROOT / "tests/runtime/math" / test, *math_programs.SOURCES], _MEMORY, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("options", [_MEMORY, _THREADS])
def test_threads(options: Sequence[str], tmp_path: Path) -> None:
    done = _run([ROOT / "tests/runtime/threads/threads_test.cc", *_SHARED_WORK], options, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("body", "options", "message"),
    [
        ("int* a = new int[2]; delete[] a; return a[argc];", _MEMORY, "heap-use-after-free"),
        ("int most = 2147483647; return most + argc > 0;", _MEMORY, "signed integer overflow"),
        ("std::thread other([&] { ++argc; }); ++argc; other.join();", _THREADS, "data race"),
    ],
)
def test_faults_are_found(body: str, options: Sequence[str], message: str, tmp_path: Path) -> None:
    source = tmp_path / "fault.cc"
    source.write_text(f"#include <thread>\nint main(int argc, char**) {{ {body} }}\n")
    done = _run([source], options, tmp_path)
    assert done.returncode != 0
    assert message in done.stderr
