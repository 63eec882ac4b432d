"""Fuzzes each reader with a number of inputs, and keeps ran.json.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.rounds FOLDER [READER…] [--cases N]

A reader gets the inputs that it lacks: those tried since something was found in it count, as long as its sources
stay the same. What was found is in FOLDER: `found/READER` inputs that reach new code, `broken/READER` those that
break a reader (with libFuzzer's names: crash-, timeout-, oom-), `READER.log` what the fuzzer printed. Exit status 0:
every reader had its inputs; 1: something was found. It may be stopped at any time: finished readers are in ran.json.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from fuzz import record
from fuzz.readers import READERS
from fuzz.record import Run

# It takes seconds to measure what one input costs: of a run's, so many at most.
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


def run(name: str, folder: Path, cases: int) -> Run:
    """Fuzzes one reader with `cases` inputs, or until it breaks."""
    found, broken = folder / "found" / name, folder / "broken" / name
    broken.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    broken_before, found_before = set(broken.iterdir()), set(found.iterdir())
    options = [
        f"-runs={cases}",
        "-print_final_stats=1",
        f"-artifact_prefix={broken}/",
        "-verbosity=0",
    ]
    command = [sys.executable, "-m", "fuzz.fuzz", name, str(found), *options]
    with (folder / f"{name}.log").open("w+", errors="replace") as log:
        status = subprocess.run(command, check=False, stdout=log, stderr=log).returncode
        log.seek(0)
        executed = _EXECUTED.search(log.read())
    if executed is None:
        raise SystemExit(f"{name}: the fuzzer did not run: see {folder / name}.log")
    finds = len(set(broken.iterdir()) - broken_before)
    finds += _costly(name, set(found.iterdir()) - found_before)
    tried = int(executed.group(1))
    print(f"{name}: {tried:,} inputs, status {status}, {finds} finds", flush=True)
    return Run(tried, finds)


def parser() -> argparse.ArgumentParser:
    """Returns what reads the command line."""
    made = argparse.ArgumentParser(prog="python -m fuzz.rounds", description=__doc__)
    made.formatter_class = argparse.RawDescriptionHelpFormatter
    made.add_argument("folder", type=Path, metavar="FOLDER")
    made.add_argument(
        "readers", nargs="*", metavar="READER", help=f"one of {', '.join(READERS)}; else all"
    )
    made.add_argument(
        "--cases",
        type=int,
        default=20_000,
        metavar="N",
        help="inputs for each reader (%(default)s)",
    )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzzes until all readers had their inputs or broke; returns the exit status."""
    made = parser()
    options = made.parse_args(arguments)
    unknown = sorted(set(options.readers) - set(READERS))
    if unknown:
        made.error(f"no reader {unknown[0]!r}; there are: {', '.join(READERS)}")
    broken = False
    for name in options.readers or sorted(READERS):
        row = record.load()[name]
        if row.cases_since_find < options.cases:
            done = run(name, options.folder, options.cases - row.cases_since_find)
            row = record.after(row, done, datetime.date.today().isoformat())
            record.save({**record.load(), name: row})
            broken = broken or done.finds > 0
        print(f"{name}: {row.cases_since_find:,} inputs since {row.finds or 'no'} finds")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
