"""Tests of the products of bytes in tools/runtime/math with each instruction set, and of the loops for bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

import extent
from runtime import math_programs

_PROGRAM = "byte_math_test.cc"
# For x86, the flags of /proc/cpuinfo that they require.
_X86 = {
    "baseline": frozenset[str](),
    "avx2": frozenset({"avx2"}),
    "vnni": frozenset({"avx512f", "avx512_vnni"}),
}
_INSTRUCTION_SETS = {
    **dict.fromkeys(math_programs.X86, tuple(_X86)),
    "arm64": ("neon", "dotprod"),
    "armv7": ("neon",),
}
# Changes of the loops, with the checks that find them. Each is another program to compile.
_WRONG_LOOPS = (
    ("AddGroup<1>(left, &panel, sums);", "", {"products", "convolutions"}),
    ("if (accumulate) all += (Wrapping)*to;", "", {"products"}),
)
_CHECKS = (
    *("products", "convolutions", "requantize", "limit", "range"),
    *("columns", "tables", "pooling", "depthwise", "shift"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return math_programs.programs_folder(tmp_path_factory)


@pytest.mark.parametrize(
    ("cpu", "name"),
    [(cpu, name) for cpu in math_programs.TESTED for name in _INSTRUCTION_SETS[cpu]],
)
def test_results_are_those_of_plain_loops(cpu: str, name: str, folder: Path) -> None:
    math_programs.require_no_difference(_PROGRAM, folder, cpu, name, _INSTRUCTION_SETS, _X86)


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
    header = "tools/runtime/math/byte_kernels_impl.h"
    found = math_programs.wrong_checks(cpu, _PROGRAM, header, (loop, change), folder, tmp_path)
    assert found == checks


@pytest.mark.parametrize("cpu", math_programs.TESTED_X86)
def test_selected_by_the_cpu_and_the_environment(cpu: str, folder: Path) -> None:
    program = math_programs.compiled(cpu, _PROGRAM, folder)
    supported = math_programs.supported(cpu, program, _X86)
    floats = math_programs.supported(cpu, program)
    for name, best in (("baseline", 1), ("avx2", 2), ("avx512", 3), ("", 3)):
        if not name or name in floats:
            done = math_programs.run([*math_programs.command(cpu, program), "--selected"], name)
            assert done.stdout.strip() == supported[:best][-1]


@pytest.mark.parametrize(
    ("cpu", "selected"), [("cortex-a53", "neon"), ("cortex-a76", "dotprod"), ("max", "dotprod")]
)
def test_dot_products_are_used_where_the_cpu_has_them(
    cpu: str, selected: str, folder: Path
) -> None:
    command = [
        "qemu-aarch64",
        "-cpu",
        cpu,
        math_programs.compiled("arm64", _PROGRAM, folder),
        "--selected",
    ]
    assert math_programs.run(command).stdout.strip() == selected


def test_cpu_without_dot_products(folder: Path) -> None:
    done = math_programs.run(
        ["qemu-aarch64", "-cpu", "cortex-a53", math_programs.compiled("arm64", _PROGRAM, folder)]
    )
    expected = {"neon": "0 differences", "dotprod": "not supported"}
    assert math_programs.results(done) == expected
