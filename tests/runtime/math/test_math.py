"""Tests of tools/runtime/math with each instruction set: natively on x86, under qemu for Arm."""

from __future__ import annotations

from pathlib import Path

import pytest

import extent
from e2e.sessions import cpu_features
from runtime import math_programs

_PROGRAM = "math_test.cc"
_HEADER = "tools/runtime/math/kernels_impl.h"
_INSTRUCTION_SETS = {
    **dict.fromkeys(math_programs.X86, tuple(cpu_features.REQUIRED)),
    "arm64": ("neon",),
    "armv7": ("neon",),
}
# Changes of the loops, with the checks that find them. Each is another program to compile.
_WRONG_LOOPS = (
    ("if (work.accumulate) {", "if (false) {", {"products", "long_sums"}),
    ("work.finish != nullptr) {\n    FinishSums", "false) {\n    FinishSums", {"products"}),
    ("Loose*>(pixel + i * step)", "Loose*>(pixel)", {"depthwise"}),
    ("return b > a ? b : a;", "return a > b ? a : b;", {"pooling"}),
    ("const Index half = FirstHalf(depth);", "const Index half = 0;", {"long_sums"}),
)
_CHECKS = (
    *("products", "long_sums", "convolutions", "depthwise", "binary", "limit"),
    *("pooling", "windows"),
    *("exp", "sigmoid", "tanh", "erf", "softmax", "log_softmax"),
)
# Emulated CPUs that support only the baseline.
_OLD_CPUS = (
    ("x86_64", ("qemu-x86_64", "-cpu", "qemu64")),
    ("x86", ("qemu-i386", "-cpu", "qemu32")),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return math_programs.programs_folder(tmp_path_factory)


@pytest.mark.parametrize(
    ("cpu", "name"),
    [(cpu, name) for cpu in math_programs.TESTED for name in _INSTRUCTION_SETS[cpu]],
)
def test_results_are_those_of_plain_loops(cpu: str, name: str, folder: Path) -> None:
    math_programs.require_no_difference(
        _PROGRAM, folder, cpu, name, _INSTRUCTION_SETS, cpu_features.REQUIRED
    )


@pytest.mark.parametrize("cpu", math_programs.TESTED_X86)
@pytest.mark.parametrize("check", _CHECKS)
def test_each_check_finds_a_wrong_value(cpu: str, check: str, folder: Path) -> None:
    math_programs.require_differences(cpu, check, _PROGRAM, folder)


@pytest.mark.parametrize("cpu", math_programs.TESTED_X86)
@pytest.mark.parametrize(
    ("loop", "change", "checks"),
    extent.some(_WRONG_LOOPS, _WRONG_LOOPS[0]),
)
def test_wrong_loop_is_found(
    cpu: str, loop: str, change: str, checks: set[str], folder: Path, tmp_path: Path
) -> None:
    found = math_programs.wrong_checks(cpu, _PROGRAM, _HEADER, (loop, change), folder, tmp_path)
    assert found == checks


@pytest.mark.parametrize("cpu", math_programs.TESTED_X86)
def test_selected_by_the_environment(cpu: str, folder: Path) -> None:
    program = math_programs.compiled(cpu, _PROGRAM, folder)
    supported = math_programs.supported(cpu, program)
    for name in ("", *supported):
        done = math_programs.run([*math_programs.command(cpu, program), "--selected"], name)
        assert done.stdout.splitlines() == [name or supported[-1]] * 2
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("cpu", "emulator"),
    extent.some(_OLD_CPUS, _OLD_CPUS[0]),
)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("avx2", "TFCARVE_CPU is avx2, which this CPU does not support"),
        (
            "sse9",
            "TFCARVE_CPU is 'sse9', which this library does not have; it has: baseline, avx2, avx512",
        ),
    ],
)
def test_name_that_cannot_be_used(
    cpu: str, emulator: tuple[str, ...], name: str, message: str, folder: Path
) -> None:
    math_programs.require(emulator[0])
    program = math_programs.compiled(cpu, _PROGRAM, folder)
    done = math_programs.run([*emulator, program, "--selected"], name)
    assert (done.returncode, done.stdout.splitlines()) == (2, [message, "baseline", "baseline"])
    (error,) = (line for line in done.stderr.splitlines() if line.startswith("tfcarve: "))
    assert error == (
        f"tfcarve: TFCARVE_CPU is '{name}', which this library does not have "
        "or this CPU does not support; using baseline"
    )
