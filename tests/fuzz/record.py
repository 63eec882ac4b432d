"""How many inputs each reader has been fuzzed with: ran.json, one row a reader.

A row is about sources: those of the reader and of all of tfcarve that it imports. Runs add up as long as
these stay the same; with other sources a reader starts from zero.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from modulefinder import ModuleFinder
from pathlib import Path

import tfcarve
from fuzz import readers

RAN = Path(__file__).parent / "ran.json"
_TOOLS = Path(tfcarve.__file__).parent.parent


@dataclass(frozen=True)
class Run:
    """What one run of the fuzzer was: inputs tried, and how many broke the reader."""

    cases: int
    finds: int


@dataclass(frozen=True)
class Ran:
    """All runs of a reader, as its sources are, and the inputs since one of them found something.

    `sources` is the SHA-256 of the sources, `date` the day of the last run.
    """

    sources: str
    cases: int = 0
    finds: int = 0
    cases_since_find: int = 0
    date: str = ""


def files(name: str) -> list[Path]:
    """Returns the files of tfcarve that a reader is made of: its modules and what they import."""
    # It knows no other folder, so that what is not tfcarve's is not found, and left out.
    finder = ModuleFinder(path=[str(_TOOLS)])
    for module in readers.READERS[name].modules:
        finder.import_hook(module.__name__)
    # typeshed does not know of __file__; a package without an __init__.py has none.
    found = (vars(module)["__file__"] for module in finder.modules.values())
    return sorted(Path(file) for file in found if file)


def sources(name: str) -> str:
    """Returns the SHA-256 of the names and texts of a reader's files."""
    digest = hashlib.sha256()
    for file in files(name):
        text = file.read_bytes()
        digest.update(f"{file.relative_to(_TOOLS)} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def so_far(row: Ran, now: str) -> Ran:
    """Returns what `row` says of a reader with the sources `now`: nothing, where they are others."""
    return row if row.sources == now else Ran(now)


def after(row: Ran, run: Run, date: str) -> Ran:
    """Returns `row` with one more run in it."""
    return replace(
        row,
        cases=row.cases + run.cases,
        finds=row.finds + run.finds,
        cases_since_find=0 if run.finds else row.cases_since_find + run.cases,
        date=date,
    )


def load() -> dict[str, Ran]:
    """Reads ran.json for the readers as they are now: where sources changed, a row of zeros."""
    rows = json.loads(RAN.read_bytes()) if RAN.exists() else {}
    return {
        name: so_far(Ran(**{"sources": "", **rows.get(name, {})}), sources(name))
        for name in sorted(readers.READERS)
    }


def save(ran: Mapping[str, Ran]) -> None:
    """Writes ran.json."""
    rows = {name: asdict(row) for name, row in ran.items()}
    RAN.write_text(json.dumps(rows, indent=1) + "\n", encoding="ascii")
