"""Runs programs and measures them; knows the machine."""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ALONE = Path(__file__).with_name("alone.py")


@dataclass(frozen=True)
class Measured:
    """What a program took: wall and processor seconds, peak memory in bytes, of its largest process."""

    wall: float
    cpu: float
    peak: int


@dataclass(frozen=True)
class Row:
    """A line of the results: what was measured, ours, the peer's, the ratio or a remark."""

    what: str
    ours: str
    peer: str
    ratio: str


def run(
    command: Sequence[str], environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Measured:
    """Runs `command` and measures it, children included; raises CalledProcessError where it fails."""
    whole = {**os.environ, **(environment or {})}
    # Modules stay compiled, as they do where nobody says otherwise and as the peer's are.
    whole.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as told:
        done = subprocess.run(
            [sys.executable, "-S", str(_ALONE), str(told.fileno()), *command],
            env=whole,
            cwd=cwd,
            pass_fds=[told.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode:
            raise subprocess.CalledProcessError(
                done.returncode, command, stderr=done.stderr.decode(errors="replace")
            )
        told.seek(0)
        wall, cpu, peak = json.load(told)
    return Measured(wall, cpu, peak)


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Returns a table as Markdown."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def in_turns(times: int, *programs: tuple[Sequence[str], Mapping[str, str]]) -> list[Measured]:
    """Runs `programs` in turns, `times` times each; returns the medians of each."""
    runs: list[list[Measured]] = [[] for _ in programs]
    for _ in range(times):
        for taken, (command, environment) in zip(runs, programs, strict=True):
            taken.append(run(command, environment))
    return [
        Measured(
            statistics.median(m.wall for m in taken),
            statistics.median(m.cpu for m in taken),
            max(m.peak for m in taken),
        )
        for taken in runs
    ]


def seconds(value: float) -> str:
    """Returns a duration for a table."""
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def size(value: int) -> str:
    """Returns a number of bytes for a table."""
    return f"{value / 1e6:,.1f} MB" if value >= 1_000_000 else f"{value / 1e3:,.1f} kB"


def times_less(ours: float, peer: float) -> str:
    """Returns how many times less ours is than the peer's."""
    return f"{peer / ours:.1f}x"


def machine(compiler: str = "g++") -> str:
    """Returns what the numbers were measured on, by programs from `compiler`."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    version = subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    return (
        f"{platform.machine()}, {cores} cores, {memory / 2**30:.0f} GiB, {version}, "
        f"Python {platform.python_version()}, load {load:.1f} at the start"
    )
