"""Fuzzes each reader with a fixed number of inputs and updates runs.json.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.rounds FOLDER [READER…] [--cases N]

The inputs that a reader had since the last find count, as long as its sources stay the same: it gets the rest.
FOLDER has the results: `found/READER` the inputs that reach new code, `broken/READER` those that break the reader
(named by libFuzzer: crash-, timeout-, oom-), `READER.log` the fuzzer's output. Exit status 0: every reader had its
inputs; 1: an input broke a reader. You may stop it at any time: the readers that are done are in runs.json.
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

# Measuring the cost of one input takes seconds, so at most this many inputs of a run are measured.
_MEASURED = 40
_EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


def spread(files: Sequence[Path], most: int) -> list[Path]:
    """Returns at most `most` of `files`, evenly spread, starting with the last."""
    step = max(1.0, len(files) / most)
    return [files[-1 - int(i * step)] for i in range(min(len(files), most))]


def _costly(name: str, found: Collection[Path]) -> bool:
    """Returns whether one of the inputs found takes too much time or memory; measures a sample of them."""
    files = spread(sorted(found, key=lambda file: file.stat().st_mtime), _MEASURED)
    command = [sys.executable, "-m", "fuzz.cost", name, *map(str, files)]
    status = subprocess.run(command, check=False).returncode
    if status not in (0, 1):
        raise SystemExit(
            f"{name}: the cost of the inputs was not measured: fuzz.cost ended with status {status}"
        )
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
        raise SystemExit(f"{name}: the fuzzer did not run; see {folder / name}.log")
    finds = len(set(broken.iterdir()) - broken_before)
    finds += _costly(name, set(found.iterdir()) - found_before)
    tried = int(executed.group(1))
    print(f"{name}: {tried:,} inputs, status {status}, {finds} finds", flush=True)
    return Run(tried, finds)


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.rounds", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument(
        "readers", nargs="*", metavar="READER", help=f"one of {', '.join(READERS)} (all)"
    )
    parser.add_argument(
        "--cases",
        type=int,
        default=20_000,
        metavar="N",
        help="number of inputs for each reader (%(default)s)",
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzzes until each reader had its inputs or broke; returns the exit status."""
    command_line = parser()
    options = command_line.parse_args(arguments)
    unknown = sorted(set(options.readers) - set(READERS))
    if unknown:
        command_line.error(f"no reader {unknown[0]!r}; choose from: {', '.join(READERS)}")
    broken = False
    for name in options.readers or sorted(READERS):
        row = record.load()[name]
        if row.cases_since_find < options.cases:
            done = run(name, options.folder, options.cases - row.cases_since_find)
            row = record.add(name, done, row.sources, datetime.date.today().isoformat())
            broken = broken or done.finds > 0
        print(f"{name}: {row.cases_since_find:,} inputs since the last find, {row.finds} finds")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
