"""Fuzzes all readers in turns, for as long as it is let, and keeps the record ran.json.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.rounds FOLDER [SECONDS]

In each round all readers have a turn of SECONDS (120), first those in which something was found last. What was
found is in FOLDER: `found/READER` inputs that reach new code, `broken/READER` those
that break a reader (with libFuzzer's names: crash-, timeout-, oom-), `READER.log` what the fuzzer said.
"""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fuzz import readers

RAN = Path(__file__).parent / "ran.json"
# It takes a second to measure the memory that one input takes.
_MEASURED = 8
_EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Ran:
    """How long a reader has been fuzzed: in all, and since the last time something was found in it."""

    seconds: int = 0
    executions: int = 0
    finds: int = 0
    seconds_since_find: int = 0
    date: str = ""


def load() -> dict[str, Ran]:
    """Reads the record."""
    rows = json.loads(RAN.read_bytes()) if RAN.exists() else {}
    return {name: Ran(**rows.get(name, {})) for name in sorted(readers.READERS)}


def _save(ran: dict[str, Ran]) -> None:
    rows = {name: asdict(row) for name, row in ran.items()}
    RAN.write_text(json.dumps(rows, indent=1) + "\n", encoding="ascii")


def _memory(name: str, found: Path) -> bool:
    """Says whether one of the inputs that were found last takes too much memory."""
    files = sorted(found.iterdir(), key=lambda file: file.stat().st_mtime)[-_MEASURED:]
    command = [sys.executable, "-m", "fuzz.memory", name, *map(str, files)]
    status = subprocess.run(command, check=False).returncode
    if status not in (0, 1):
        raise SystemExit(f"{name}: the memory was not measured: status {status}")
    return status == 1


def turn(name: str, folder: Path, seconds: int, before: Ran) -> Ran:
    """Fuzzes one reader for `seconds`, or until it breaks; returns its new record."""
    found, broken = folder / "found" / name, folder / "broken" / name
    broken.mkdir(parents=True, exist_ok=True)
    known = len(list(broken.iterdir()))
    options = [
        f"-max_total_time={seconds}",
        "-print_final_stats=1",
        f"-artifact_prefix={broken}/",
        "-verbosity=0",
    ]
    command = [sys.executable, "-m", "fuzz.fuzz", name, str(found), *options]
    start = time.monotonic()
    with (folder / f"{name}.log").open("w+", errors="replace") as log:
        status = subprocess.run(command, check=False, stdout=log, stderr=log).returncode
        log.seek(0)
        executed = _EXECUTED.search(log.read())
    took = round(time.monotonic() - start)
    if executed is None:
        raise SystemExit(f"{name}: the fuzzer did not run: see {folder / name}.log")
    finds = len(list(broken.iterdir())) - known + _memory(name, found)
    print(f"{name}: {took} s, status {status}, {finds} finds", flush=True)
    return replace(
        before,
        seconds=before.seconds + took,
        executions=before.executions + int(executed.group(1)),
        finds=before.finds + finds,
        seconds_since_find=0 if finds else before.seconds_since_find + took,
        date=datetime.date.today().isoformat(),
    )


def main() -> None:
    """Fuzzes round after round until it is stopped."""
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    seconds = int(sys.argv[2]) if len(sys.argv) == 3 else 120
    while True:
        ran = load()
        for name in sorted(ran, key=lambda n: ran[n].seconds_since_find):
            ran[name] = turn(name, folder, seconds, ran[name])
            _save(ran)


if __name__ == "__main__":
    main()
