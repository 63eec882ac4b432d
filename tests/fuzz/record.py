"""How many inputs each reader has been fuzzed with: runs.json, one row for each reader.

A row belongs to sources: the reader's own and those that it imports from tfcarve. Runs add up as long as the sources
stay the same. With other sources, a reader starts from zero.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from modulefinder import ModuleFinder
from pathlib import Path

import tfcarve
from fuzz import readers

FILE = Path(__file__).parent / "runs.json"
_TOOLS = Path(tfcarve.__file__).parent.parent


@dataclass(frozen=True)
class Run:
    """One run of the fuzzer: the inputs tried, and how many of them broke the reader."""

    cases: int
    finds: int


@dataclass(frozen=True)
class Row:
    """All runs of a reader.

    Attributes:
      sources: the SHA-256 of the reader's sources.
      cases: the inputs of all runs.
      finds: how many inputs broke the reader.
      cases_since_find: the inputs since the last of these.
      date: the day of the last run.
    """

    sources: str
    cases: int = 0
    finds: int = 0
    cases_since_find: int = 0
    date: str = ""


def files(name: str) -> list[Path]:
    """Returns the files of tfcarve that a reader consists of: its modules and what they import."""
    # The path has no other folder, so the finder skips what is not tfcarve's.
    finder = ModuleFinder(path=[str(_TOOLS)])
    for module in readers.READERS[name].modules:
        finder.import_hook(module.__name__)
    # typeshed does not declare __file__; a package without an __init__.py does not have it.
    found = (vars(module)["__file__"] for module in finder.modules.values())
    return sorted(Path(file) for file in found if file)


def sources(name: str) -> str:
    """Returns the SHA-256 of the names and contents of a reader's files."""
    digest = hashlib.sha256()
    for file in files(name):
        text = file.read_bytes()
        digest.update(f"{file.relative_to(_TOOLS)} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def current(row: Row, now: str) -> Row:
    """Returns `row` if it belongs to the sources `now`, otherwise an empty row for them."""
    return row if row.sources == now else Row(now)


def after(row: Row, run: Run, date: str) -> Row:
    """Returns `row` with one more run added."""
    return replace(
        row,
        cases=row.cases + run.cases,
        finds=row.finds + run.finds,
        cases_since_find=0 if run.finds else row.cases_since_find + run.cases,
        date=date,
    )


def load() -> dict[str, Row]:
    """Reads runs.json; a reader whose sources changed has a row of zeros."""
    rows = json.loads(FILE.read_bytes()) if FILE.exists() else {}
    return {
        name: current(Row(**{"sources": "", **rows.get(name, {})}), sources(name))
        for name in sorted(readers.READERS)
    }


def add(name: str, run: Run, tested: str, date: str) -> Row:
    """Adds a run to runs.json and returns the reader's row; runs that end at the same time all count.

    Args:
      name: the reader.
      run: what was run.
      tested: the SHA-256 of the sources that were fuzzed. If they changed meanwhile, the run does not count.
      date: the day of the run.
    """
    with _locked():
        rows = load()
        if rows[name].sources == tested:
            rows[name] = after(rows[name], run, date)
        text = json.dumps({row: asdict(rows[row]) for row in rows}, indent=1) + "\n"
        partial = FILE.with_name(f"{FILE.name}.partial")
        partial.write_text(text, encoding="ascii")
        partial.replace(FILE)
    return rows[name]


@contextmanager
def _locked() -> Iterator[None]:
    """Locks the folder of runs.json against other processes; the file itself is replaced."""
    folder = os.open(FILE.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
