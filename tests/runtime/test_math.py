"""Tests of tools/runtime/math with each instruction set: natively on x86-64, under qemu for Arm."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from e2e import cpu_features

_ROOT = Path(os.environ["RUNFILES_DIR"], "_main")
_COPTS = os.environ["LOOPS_COPTS"].split()
_HEADER = "tools/runtime/math/kernels_impl.h"
_SOURCES = (
    _ROOT / "tests/runtime/math_test.cc",
    _ROOT / "tools/runtime/cpu_choice.cc",
    *sorted(_ROOT.glob("tools/runtime/math/*.cc")),
)


class _Target(NamedTuple):
    """A CPU: the compiler with its options, as in rules/platforms/table.bzl; the emulator; the instruction sets."""

    compiler: tuple[str, ...]
    emulator: tuple[str, ...]
    instruction_sets: tuple[str, ...]


_TARGETS = {
    "x86_64": _Target(("g++",), (), tuple(cpu_features.REQUIRED)),
    "arm64": _Target(("aarch64-linux-gnu-g++",), ("qemu-aarch64",), ("neon",)),
    "armv7": _Target(
        ("arm-linux-gnueabihf-g++", "-mfpu=neon", "-mthumb"),
        ("qemu-arm", "-cpu", "cortex-a7"),
        ("neon",),
    ),
}
_CHECKS = (
    *("products", "convolutions", "depthwise", "binary", "limit", "pooling"),
    *("exp", "sigmoid", "tanh", "erf", "softmax"),
)


def _require(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on PATH")


def _compile(cpu: str, program: Path, *includes: Path) -> None:
    compiler, emulator, _ = _TARGETS[cpu]
    if not emulator and platform.machine() != cpu:
        pytest.skip(f"this machine does not run programs for {cpu}")
    _require(compiler[0], *emulator[:1])
    folders = [f"-I{folder}" for folder in (*includes, _ROOT)]
    subprocess.run([*compiler, *_COPTS, "-static", *folders, *_SOURCES, "-o", program], check=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("math")


@cache
def _compiled(cpu: str, folder: Path) -> Path:
    """Returns the program for a CPU."""
    program = folder / cpu
    _compile(cpu, program)
    return program


def _run(command: Sequence[str | Path], cpu: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env={**os.environ, "TFCARVE_CPU": cpu},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )


def _results(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Returns the result of each instruction set."""
    found = re.findall(r"^(\w+): (\d+ differences|not supported)$", done.stdout, re.MULTILINE)
    return dict(found)


@cache
def _compared(cpu: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return _run([*_TARGETS[cpu].emulator, _compiled(cpu, folder)])


@pytest.mark.parametrize(
    ("cpu", "name"),
    [(cpu, name) for cpu, target in _TARGETS.items() for name in target.instruction_sets],
)
def test_results_are_those_of_plain_loops(cpu: str, name: str, folder: Path) -> None:
    done = _compared(cpu, folder)
    assert done.returncode == 0, done.stdout
    results = _results(done)
    assert tuple(results) == _TARGETS[cpu].instruction_sets
    if cpu == "x86_64" and name not in cpu_features.supported():
        assert results[name] == "not supported"
        pytest.skip(f"according to /proc/cpuinfo, this CPU does not support {name}")
    assert results[name] == "0 differences"


@pytest.mark.parametrize("check", _CHECKS)
def test_each_check_finds_a_wrong_value(check: str, folder: Path) -> None:
    done = _run([_compiled("x86_64", folder), check])
    assert done.returncode == 1
    assert f"{check}: " in done.stdout
    assert "0 differences" not in _results(done).values()


@pytest.mark.parametrize(
    ("loop", "change", "check"),
    [
        ("if (work.accumulate) {", "if (false) {", "products"),
        ("pixel + i * step", "pixel", "depthwise"),
    ],
)
def test_wrong_loop_is_found(loop: str, change: str, check: str, tmp_path: Path) -> None:
    text = (_ROOT / _HEADER).read_text(encoding="utf-8")
    assert text.count(loop) == 1
    header = tmp_path / _HEADER
    header.parent.mkdir(parents=True)
    header.write_text(text.replace(loop, change), encoding="utf-8")
    program = tmp_path / "wrong"
    _compile("x86_64", program, tmp_path)
    done = _run([program])
    assert done.returncode == 1
    assert set(re.findall(r"^(\w+): \S+ instead of ", done.stdout, re.MULTILINE)) == {check}


def test_selected_by_the_environment(folder: Path) -> None:
    program = _compiled("x86_64", folder)
    for name in ("", *cpu_features.supported()):
        done = _run([program, "--selected"], name)
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
    _require("qemu-x86_64")
    emulator = ("qemu-x86_64", "-cpu", "qemu64")
    done = _run([*emulator, _compiled("x86_64", folder), "--selected"], name)
    assert (done.returncode, done.stdout.splitlines()) == (2, [message, "baseline", "baseline"])
    (error,) = (line for line in done.stderr.splitlines() if line.startswith("tfcarve: "))
    assert error == (
        f"tfcarve: TFCARVE_CPU is '{name}', which this library does not have "
        "or this CPU does not support; using baseline"
    )
