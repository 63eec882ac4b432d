"""Fuzzes the readers in turns until each has had its time with nothing found, and keeps ran.json.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.rounds FOLDER [--goal SECONDS] [--turn SECONDS]

The next turn is always that of the reader with the least time since something was found in it. One that
breaks gets no further turn in the run. What was found is in FOLDER: `found/READER` inputs that reach new
code, `broken/READER` those that break a reader (with libFuzzer's names: crash-, timeout-, oom-),
`READER.log` what the fuzzer said. Exit status 0: every reader reached the goal; 1: something was found.
It may be stopped at any time: finished turns are in ran.json.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from fuzz import record
from fuzz.record import Ran, Turn

# It takes seconds to measure what one input costs: of a turn's, so many at most.
_MEASURED = 40
_EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


def spread(files: Sequence[Path], most: int) -> list[Path]:
    """Returns at most so many of `files`, as far from each other as can be, the last one among them."""
    step = max(1.0, len(files) / most)
    return [files[-1 - int(i * step)] for i in range(min(len(files), most))]


def _costly(name: str, found: Collection[Path]) -> bool:
    """Says whether one of the inputs that were found takes too much time or memory; looks at some of many."""
    files = spread(sorted(found, key=lambda file: file.stat().st_mtime), _MEASURED)
    command = [sys.executable, "-m", "fuzz.cost", name, *map(str, files)]
    status = subprocess.run(command, check=False).returncode
    if status not in (0, 1):
        raise SystemExit(f"{name}: what it costs was not measured: status {status}")
    return status == 1


def _processor() -> float:
    """Seconds of processor time that this process's children have taken so far."""
    times = os.times()
    return times.children_user + times.children_system


def run(name: str, folder: Path, seconds: int) -> Turn:
    """Fuzzes one reader for `seconds`, or until it breaks; what counts is the processor's time."""
    found, broken = folder / "found" / name, folder / "broken" / name
    broken.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    broken_before, found_before = set(broken.iterdir()), set(found.iterdir())
    options = [
        f"-max_total_time={seconds}",
        "-print_final_stats=1",
        f"-artifact_prefix={broken}/",
        "-verbosity=0",
    ]
    command = [sys.executable, "-m", "fuzz.fuzz", name, str(found), *options]
    start = _processor()
    with (folder / f"{name}.log").open("w+", errors="replace") as log:
        status = subprocess.run(command, check=False, stdout=log, stderr=log).returncode
        log.seek(0)
        executed = _EXECUTED.search(log.read())
    took = round(_processor() - start)
    if executed is None:
        raise SystemExit(f"{name}: the fuzzer did not run: see {folder / name}.log")
    finds = len(set(broken.iterdir()) - broken_before)
    finds += _costly(name, set(found.iterdir()) - found_before)
    print(f"{name}: {took} s, status {status}, {finds} finds", flush=True)
    return Turn(took, int(executed.group(1)), finds)


def next_reader(ran: Mapping[str, Ran], broken: Collection[str], goal: int) -> str | None:
    """Returns the reader furthest from the goal, without those in `broken`; None where all are there."""
    left = [n for n, row in ran.items() if n not in broken and row.seconds_since_find < goal]
    return min(left, key=lambda n: ran[n].seconds_since_find, default=None)


def parser() -> argparse.ArgumentParser:
    """Returns what reads the command line."""
    made = argparse.ArgumentParser(prog="python -m fuzz.rounds", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("folder", type=Path, metavar="FOLDER")
    made.add_argument(
        "--goal",
        type=int,
        default=3600,
        metavar="SECONDS",
        help="time of each reader (%(default)s)",
    )
    made.add_argument(
        "--turn", type=int, default=120, metavar="SECONDS", help="time of one turn (%(default)s)"
    )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzzes until all readers reached the goal or broke; returns the exit status."""
    options = parser().parse_args(arguments)
    broken: set[str] = set()
    while name := next_reader(record.load(), broken, options.goal):
        before = record.sources(name)
        turn = run(name, options.folder, options.turn)
        # Read again: another run may have added to it.
        ran = record.load()
        row = record.so_far(ran[name], before)
        record.save({**ran, name: record.after(row, turn, datetime.date.today().isoformat())})
        if turn.finds:
            broken.add(name)
    for name, row in record.load().items():
        print(f"{name}: {row.seconds_since_find} s since {row.finds or 'no'} finds")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
