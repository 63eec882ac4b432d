"""Tests of tools/runtime/math with each instruction set: natively on x86-64, under qemu for Arm."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest

from e2e import cpu_features
from runtime import math_programs

_PROGRAM = "math_test.cc"
_HEADER = "tools/runtime/math/kernels_impl.h"
_INSTRUCTION_SETS = {
    "x86_64": tuple(cpu_features.REQUIRED),
    "arm64": ("neon",),
    "armv7": ("neon",),
}
_CHECKS = (
    *("products", "convolutions", "depthwise", "binary", "limit", "pooling"),
    *("exp", "sigmoid", "tanh", "erf", "softmax"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("math")


@cache
def _compiled(cpu: str, folder: Path) -> Path:
    """Returns the program for a CPU."""
    program = folder / cpu
    math_programs.compile_for(cpu, _PROGRAM, program)
    return program


@cache
def _compared(cpu: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return math_programs.run([*math_programs.CPUS[cpu].emulator, _compiled(cpu, folder)])


@pytest.mark.parametrize(
    ("cpu", "name"),
    [(cpu, name) for cpu, names in _INSTRUCTION_SETS.items() for name in names],
)
def test_results_are_those_of_plain_loops(cpu: str, name: str, folder: Path) -> None:
    done = _compared(cpu, folder)
    assert done.returncode == 0, done.stdout
    results = math_programs.results(done)
    assert tuple(results) == _INSTRUCTION_SETS[cpu]
    if cpu == "x86_64" and name not in cpu_features.supported():
        assert results[name] == "not supported"
        pytest.skip(f"according to /proc/cpuinfo, this CPU does not support {name}")
    assert results[name] == "0 differences"


@pytest.mark.parametrize("check", _CHECKS)
def test_each_check_finds_a_wrong_value(check: str, folder: Path) -> None:
    done = math_programs.run([_compiled("x86_64", folder), check])
    assert done.returncode == 1
    assert f"{check}: " in done.stdout
    assert "0 differences" not in math_programs.results(done).values()


@pytest.mark.parametrize(
    ("loop", "change", "check"),
    [
        ("if (work.accumulate) {", "if (false) {", "products"),
        ("pixel + i * step", "pixel", "depthwise"),
    ],
)
def test_wrong_loop_is_found(loop: str, change: str, check: str, tmp_path: Path) -> None:
    found = math_programs.wrong_checks(_PROGRAM, _HEADER, (loop, change), tmp_path)
    assert found == {check}


def test_selected_by_the_environment(folder: Path) -> None:
    program = _compiled("x86_64", folder)
    for name in ("", *cpu_features.supported()):
        done = math_programs.run([program, "--selected"], name)
        assert done.stdout.splitlines() == [name or cpu_features.supported()[-1]] * 2
        assert (done.returncode, done.stderr) == (0, "")


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
def test_name_that_cannot_be_used(name: str, message: str, folder: Path) -> None:
    """On a CPU that supports only the baseline."""
    math_programs.require("qemu-x86_64")
    emulator = ("qemu-x86_64", "-cpu", "qemu64")
    done = math_programs.run([*emulator, _compiled("x86_64", folder), "--selected"], name)
    assert (done.returncode, done.stdout.splitlines()) == (2, [message, "baseline", "baseline"])
    (error,) = (line for line in done.stderr.splitlines() if line.startswith("tfcarve: "))
    assert error == (
        f"tfcarve: TFCARVE_CPU is '{name}', which this library does not have "
        "or this CPU does not support; using baseline"
    )
