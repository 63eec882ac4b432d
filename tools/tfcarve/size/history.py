"""Sizes of units that earlier libraries had, and what they say about one that is not built yet."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tfcarve import files, json_form
from tfcarve.emit import units
from tfcarve.errors import InvalidInput
from tfcarve.json_form import Each
from tfcarve.selection.selection import Selection
from tfcarve.size.origin import KERNELS
from tfcarve.size.report import Report

VERSION = 1


@dataclass(frozen=True, slots=True)
class Past:
    """A library that was predicted: stripped bytes as predicted, and as built (None: not built yet)."""

    selection: str
    predicted: int
    actual: int | None


@dataclass(frozen=True, slots=True)
class History:
    """What is known of a platform's libraries that were compiled with the same flags.

    Fields:
      units: by the digest of a unit's text: its source and its bytes in the last library that had it.
      base: bytes of the last library that are no unit's.
      past: predictions, the oldest first.
    """

    units: Mapping[str, tuple[str, int]]
    base: int
    past: tuple[Past, ...]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a library is going to come to.

    Fields:
      stripped: bytes.
      files: bytes by source, for each unit.
      guessed: sources of which no unit of this text was ever linked: the nearest one's bytes were taken.
      to_compile: how many units are new.
      past: what became of earlier predictions.
    """

    stripped: int
    files: Mapping[str, int]
    guessed: tuple[str, ...]
    past: tuple[Past, ...]

    @property
    def to_compile(self) -> int:
        """How many units have to be compiled."""
        return len(self.guessed)

    @property
    def errors(self) -> tuple[float, ...]:
        """The errors of past predictions, as a part of what the library came to."""
        return tuple((p.predicted - p.actual) / p.actual for p in self.past if p.actual)


def digest(text: bytes) -> str:
    """Returns the digest of a unit's text."""
    return hashlib.sha256(text).hexdigest()[:24]


def of_selection(selection: Selection) -> str:
    """Returns the digest of all units of a selection: of what the library is made of."""
    return digest("".join(digest(t) for _, t in sorted(units.units(selection).items())).encode())


def path(platform: str, flags: str) -> Path:
    """Returns the file, in the user's cache, for a platform's libraries compiled with flags of a digest.

    Raises InvalidInput where the platform's name is no word.
    """
    if not platform.replace("_", "").isalnum():
        raise InvalidInput(f"{platform!r}: no name of a platform: letters, digits and _ only")
    return files.cache_directory() / "sizes" / f"{platform}-{flags}.json"


def add(history: History, selection: Selection, report: Report) -> History:
    """Returns `history` with a library that was built."""
    by_file = report.by(lambda e: e.file if e.part == KERNELS else "")
    seen = {
        digest(text): (source, by_file.get(source, 0)) for source, text in _texts(selection).items()
    }
    whole = of_selection(selection)
    past = tuple(
        replace(p, actual=report.sizes["stripped"])
        if p.selection == whole and p.actual is None
        else p
        for p in history.past
    )
    return History({**history.units, **seen}, by_file.get("", 0), past)


def predict(history: History, selection: Selection) -> Prediction:
    """Predicts the stripped size of a selection's library, by attribution of those before.

    A unit that was never linked is taken to be as large as the largest one of its source, else as the
    mean of all units.

    Raises:
      InvalidInput: nothing is history.
    """
    if not history.units:
        raise InvalidInput(
            "no size of any unit is history: measure a library of this platform first"
        )
    mean = sum(size for _, size in history.units.values()) // len(history.units)
    found: dict[str, int] = {}
    guessed = []
    for source, text in _texts(selection).items():
        known = history.units.get(digest(text))
        if known is None:
            guessed.append(source)
            found[source] = max((s for f, s in history.units.values() if f == source), default=mean)
        else:
            found[source] = known[1]
    return Prediction(history.base + sum(found.values()), found, tuple(guessed), history.past)


def remember(history: History, selection: Selection, prediction: Prediction) -> History:
    """Returns `history` with a prediction, to be held against the library when it is built."""
    whole = of_selection(selection)
    others = tuple(p for p in history.past if p.selection != whole or p.actual is not None)
    return replace(history, past=(*others, Past(whole, prediction.stripped, None))[-100:])


def _texts(selection: Selection) -> dict[str, bytes]:
    texts = units.units(selection)
    return {source: texts[units.file_name(source)] for source in selection.files}


def to_json(history: History) -> bytes:
    """Returns the JSON form."""
    document = {
        "version": VERSION,
        "base": history.base,
        "units": {
            key: {"file": f, "bytes": size} for key, (f, size) in sorted(history.units.items())
        },
        "past": [
            {"selection": p.selection, "predicted": p.predicted, "actual": p.actual or 0}
            for p in history.past
        ],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


_FORM: Mapping[str, Any] = {
    "version": int,
    "base": int,
    "units": Each({"file": str, "bytes": int}),
    "past": [{"selection": str, "predicted": int, "actual": int}],
}


def load(file: Path) -> History:
    """Reads what is history; a file that is not there, or of another version, has nothing."""
    try:
        document = json_form.loads(file.read_bytes())
        json_form.check(document, _FORM, str(file))
        if document["version"] != VERSION:
            return History({}, 0, ())
        return History(
            {key: (row["file"], row["bytes"]) for key, row in document["units"].items()},
            document["base"],
            tuple(
                Past(p["selection"], p["predicted"], p["actual"] or None) for p in document["past"]
            ),
        )
    except (OSError, ValueError, KeyError):
        return History({}, 0, ())
