"""Runs and measures programs; describes the machine."""

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_SUBPROCESS_USAGE = Path(__file__).with_name("subprocess_usage.py")


@dataclass(frozen=True)
class Usage:
    """Usage of a program: wall and CPU seconds, and peak memory of its largest process in bytes."""

    wall: float
    cpu: float
    peak: int


@dataclass(frozen=True)
class Row:
    """A row of results: what was measured, the values of tfcarve and of the reference, the ratio or a remark."""

    what: str
    tfcarve: str
    reference: str
    ratio: str


def run(
    command: Sequence[str], environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Usage:
    """Runs `command` and measures it with its children; raises CalledProcessError if it fails."""
    variables = {**os.environ, **(environment or {})}
    # Compiled modules are cached, which is Python's default and true of the reference.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as usage:
        done = subprocess.run(
            [sys.executable, "-S", str(_SUBPROCESS_USAGE), str(usage.fileno()), *command],
            env=variables,
            cwd=cwd,
            pass_fds=[usage.fileno()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode:
            raise subprocess.CalledProcessError(
                done.returncode, command, stderr=done.stderr.decode(errors="replace")
            )
        usage.seek(0)
        wall, cpu, peak = json.load(usage)
    return Usage(wall, cpu, peak)


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Returns a table as Markdown."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def in_turns(times: int, *programs: tuple[Sequence[str], Mapping[str, str]]) -> list[Usage]:
    """Runs each of `programs` `times` times, in turns; returns the medians."""
    runs: list[list[Usage]] = [[] for _ in programs]
    for _ in range(times):
        for usages, (command, environment) in zip(runs, programs, strict=True):
            usages.append(run(command, environment))
    return [
        Usage(
            statistics.median(m.wall for m in usages),
            statistics.median(m.cpu for m in usages),
            max(m.peak for m in usages),
        )
        for usages in runs
    ]


def seconds(value: float) -> str:
    """Returns a duration for a table."""
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def size(value: int) -> str:
    """Returns a number of bytes for a table."""
    return f"{value / 1e6:,.1f} MB" if value >= 1_000_000 else f"{value / 1e3:,.1f} kB"


def times_less(tfcarve: float, reference: float) -> str:
    """Returns how many times less tfcarve takes than the reference."""
    return f"{reference / tfcarve:.1f}x"


def _processor() -> str:
    """Returns the name of the processor, as Linux reports it on x86-64, or the architecture."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1] if found else platform.machine()


def machine(compiler: str = "g++") -> str:
    """Returns a description of the machine, its load and the version of `compiler`."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    version = subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    return (
        f"{platform.machine()}, {_processor()}, {cores} cores, {memory / 2**30:.0f} GiB, {version}, "
        f"Python {platform.python_version()}, load {load:.1f} at the start"
    )
