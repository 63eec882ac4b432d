"""Programs that compare tools/runtime/math with plain loops, for each CPU: natively on x86, under qemu for Arm."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import extent
from e2e.sessions import cpu_features

ROOT = Path(os.environ["RUNFILES_DIR"], "_main")
_COPTS = os.environ["LOOPS_COPTS"].split()
_ARMV7_COPTS = os.environ["ARMV7_LOOPS_COPTS"].split()
# The loops, for every program.
SOURCES = (
    ROOT / "tools/runtime/api/cpu_choice.cc",
    *sorted(ROOT.glob("tools/runtime/math/*.cc")),
)


class Cpu(NamedTuple):
    """The compiler with its options, as in rules/platforms/table.bzl, and the emulator."""

    compiler: tuple[str, ...]
    emulator: tuple[str, ...]


CPUS = {
    "x86_64": Cpu(("g++",), ()),
    # The NDK's clang uses SSE for floats, too.
    "x86": Cpu(("i686-linux-gnu-g++", "-msse2", "-mfpmath=sse"), ("qemu-i386", "-cpu", "max")),
    "arm64": Cpu(("aarch64-linux-gnu-g++",), ("qemu-aarch64",)),
    "armv7": Cpu(
        ("arm-linux-gnueabihf-g++", "-mfpu=neon", "-mthumb", *_ARMV7_COPTS),
        ("qemu-arm", "-cpu", "cortex-a7"),
    ),
}
X86 = ("x86_64", "x86")
# Those of this run.
TESTED = extent.some(tuple(CPUS), "x86_64", "arm64")
TESTED_X86 = [cpu for cpu in X86 if cpu in TESTED]
# The flags of /proc/cpuinfo that instruction sets require and qemu-i386 emulates.
_QEMU_X86_FLAGS = frozenset({"avx2", "fma"})


def require(*programs: str) -> None:
    """Skips the test if a program is not on PATH."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on PATH")


def programs_folder(factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of programs and objects, which all tests of a run share."""
    folder = factory.getbasetemp() / "math"
    folder.mkdir(exist_ok=True)
    return folder


def _compile(cpu: str, source: Path, output: Path, *includes: Path) -> None:
    folders = [f"-I{folder}" for folder in (*includes, ROOT)]
    compiler = CPUS[cpu].compiler
    subprocess.run(
        [*compiler, *_COPTS, *folders, "-MMD", "-c", source, "-o", output],
        check=True,
    )


def _objects(cpu: str, test: str, folder: Path) -> dict[Path, Path]:
    """Returns the object of each source of a test's program, by source."""
    return {source: _object(cpu, source, folder) for source in _sources(test)}


@cache
def _object(cpu: str, source: Path, folder: Path) -> Path:
    """Returns the object of a source, compiled once into a folder; skips the test if programs for the CPU cannot run here."""
    compiler, emulator = CPUS[cpu]
    if not emulator and platform.machine() != cpu:
        pytest.skip(f"this machine does not run programs for {cpu}")
    require(compiler[0], *emulator[:1])
    output = folder / f"{cpu}_{source.stem}.o"
    _compile(cpu, source, output)
    return output


def _sources(test: str) -> tuple[Path, ...]:
    return (ROOT / "tests/runtime/math" / test, *SOURCES)


def _link(cpu: str, objects: Iterable[Path], program: Path) -> None:
    subprocess.run([*CPUS[cpu].compiler, "-static", *objects, "-o", program], check=True)


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
    program = folder / f"{cpu}_{Path(test).stem}.program"
    _link(cpu, _objects(cpu, test, folder).values(), program)
    return program


@cache
def is_native(cpu: str, program: Path) -> bool:
    """Whether this machine runs a program of a CPU itself. Not all kernels for x86-64 run 32-bit programs."""
    if cpu not in X86 or platform.machine() != "x86_64":
        return False
    try:
        run([program, "--selected"])
    except OSError:
        return False
    return True


def command(cpu: str, program: Path) -> list[str | Path]:
    """Returns the command that runs a program of a CPU: with the emulator only if it is necessary."""
    return [*(() if is_native(cpu, program) else CPUS[cpu].emulator), program]


@cache
def _compared(cpu: str, test: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run(command(cpu, compiled(cpu, test, folder)))


def supported(
    cpu: str, program: Path, required: Mapping[str, frozenset[str]] = cpu_features.REQUIRED
) -> tuple[str, ...]:
    """Returns the names of x86 instruction sets that the machine or its emulator supports, in the order of `required`."""
    if is_native(cpu, program):
        return cpu_features.supported(required)
    return tuple(name for name, flags in required.items() if flags <= _QEMU_X86_FLAGS)


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
      required: for x86, the flags of /proc/cpuinfo that each instruction set requires.
    """
    done = _compared(cpu, test, folder)
    assert done.returncode == 0, done.stdout
    found = results(done)
    assert tuple(found) == names[cpu]
    if cpu in X86 and name not in supported(cpu, compiled(cpu, test, folder), required):
        assert found[name] == "not supported"
        pytest.skip(f"this CPU, according to /proc/cpuinfo, or qemu-i386 does not support {name}")
    assert found[name] == "0 differences"


def require_differences(cpu: str, check: str, test: str, folder: Path) -> None:
    """Checks that a program whose expected values are wrong for a check reports that."""
    done = run([*command(cpu, compiled(cpu, test, folder)), check])
    assert done.returncode == 1
    assert f"{check}: " in done.stdout
    assert "0 differences" not in results(done).values()


def wrong_checks(
    cpu: str, test: str, header: str, change: tuple[str, str], folder: Path, scratch: Path
) -> set[str]:
    """Returns the checks that find a change of a header.

    Args:
      cpu: one of CPUS.
      test: the source of the program.
      header: its path.
      change: a part of its text, and the replacement.
      folder: that of the unchanged program; its objects of sources that do not include the header are linked.
      scratch: an empty folder.
    """
    text = (ROOT / header).read_text(encoding="utf-8")
    assert text.count(change[0]) == 1
    changed = scratch / header
    changed.parent.mkdir(parents=True)
    changed.write_text(text.replace(*change), encoding="utf-8")
    objects = _objects(cpu, test, folder)
    including = [s for s, o in objects.items() if header in o.with_suffix(".d").read_text()]
    assert including
    for source in including:
        objects[source] = scratch / f"{source.stem}.o"
        _compile(cpu, source, objects[source], scratch)
    program = scratch / "wrong"
    _link(cpu, objects.values(), program)
    done = run(command(cpu, program))
    assert done.returncode == 1
    return set(re.findall(r"^(\w+): \S+ instead of ", done.stdout, re.MULTILINE))
