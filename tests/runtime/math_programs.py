"""Programs that compare tools/runtime/math with plain loops, for each CPU: natively on x86-64, under qemu for Arm."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from e2e import cpu_features

ROOT = Path(os.environ["RUNFILES_DIR"], "_main")
_COPTS = os.environ["LOOPS_COPTS"].split()
_ARMV7_COPTS = os.environ["ARMV7_LOOPS_COPTS"].split()
# The loops, for every program.
SOURCES = (
    ROOT / "tools/runtime/cpu_choice.cc",
    *sorted(ROOT.glob("tools/runtime/math/*.cc")),
)


class Cpu(NamedTuple):
    """The compiler with its options, as in rules/platforms/table.bzl, and the emulator."""

    compiler: tuple[str, ...]
    emulator: tuple[str, ...]


CPUS = {
    "x86_64": Cpu(("g++",), ()),
    "arm64": Cpu(("aarch64-linux-gnu-g++",), ("qemu-aarch64",)),
    "armv7": Cpu(
        ("arm-linux-gnueabihf-g++", "-mfpu=neon", "-mthumb", *_ARMV7_COPTS),
        ("qemu-arm", "-cpu", "cortex-a7"),
    ),
}


def require(*programs: str) -> None:
    """Skips the test if a program is not on PATH."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on PATH")


def compile_for(cpu: str, test: str, program: Path, *includes: Path) -> None:
    """Compiles a test of tests/runtime with the loops; skips the test if it cannot run here."""
    compiler, emulator = CPUS[cpu]
    if not emulator and platform.machine() != cpu:
        pytest.skip(f"this machine does not run programs for {cpu}")
    require(compiler[0], *emulator[:1])
    folders = [f"-I{folder}" for folder in (*includes, ROOT)]
    sources = [ROOT / "tests/runtime" / test, *SOURCES]
    subprocess.run([*compiler, *_COPTS, "-static", *folders, *sources, "-o", program], check=True)


def run(command: Sequence[str | Path], cpu: str = "") -> subprocess.CompletedProcess[str]:
    """Runs a program with an instruction set that TFCARVE_CPU selects."""
    return subprocess.run(
        command,
        env={**os.environ, "TFCARVE_CPU": cpu},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )


def results(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Returns the result of each instruction set."""
    found = re.findall(r"^(\w+): (\d+ differences|not supported)$", done.stdout, re.MULTILINE)
    return dict(found)


@cache
def compiled(cpu: str, test: str, folder: Path) -> Path:
    """Returns the program of a test for a CPU, compiled once into a folder."""
    program = folder / cpu
    compile_for(cpu, test, program)
    return program


@cache
def _compared(cpu: str, test: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run([*CPUS[cpu].emulator, compiled(cpu, test, folder)])


def require_no_difference(
    test: str,
    folder: Path,
    cpu: str,
    name: str,
    names: Mapping[str, tuple[str, ...]],
    required: Mapping[str, frozenset[str]],
) -> None:
    """Checks that the loops of one instruction set have no differences; skips it if the CPU does not support it.

    Args:
      test: the source of the program.
      folder: where it is compiled.
      cpu: one of CPUS.
      name: the instruction set.
      names: the instruction sets of the program for each CPU.
      required: for x86-64, the flags of /proc/cpuinfo that each instruction set requires.
    """
    done = _compared(cpu, test, folder)
    assert done.returncode == 0, done.stdout
    found = results(done)
    assert tuple(found) == names[cpu]
    if cpu == "x86_64" and name not in cpu_features.supported(required):
        assert found[name] == "not supported"
        pytest.skip(f"according to /proc/cpuinfo, this CPU does not support {name}")
    assert found[name] == "0 differences"


def require_differences(check: str, test: str, folder: Path) -> None:
    """Checks that a program whose expected values are wrong for a check reports that."""
    done = run([compiled("x86_64", test, folder), check])
    assert done.returncode == 1
    assert f"{check}: " in done.stdout
    assert "0 differences" not in results(done).values()


def wrong_checks(test: str, header: str, change: tuple[str, str], folder: Path) -> set[str]:
    """Returns the checks that find a change of a header, compiled in a folder."""
    text = (ROOT / header).read_text(encoding="utf-8")
    assert text.count(change[0]) == 1
    changed = folder / header
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(*change), encoding="utf-8")
    program = folder / "wrong"
    compile_for("x86_64", test, program, folder)
    done = run([program])
    assert done.returncode == 1
    return set(re.findall(r"^(\w+): \S+ instead of ", done.stdout, re.MULTILINE))
