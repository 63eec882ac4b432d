"""The size history: bytes of units in earlier libraries, from which sizes are predicted before a build."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from tfcarve import files, json_codec
from tfcarve.emit import units
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.selection.selection import Selection
from tfcarve.size.origin import KERNELS
from tfcarve.size.report import Report

VERSION: Literal[1] = 1
_MAX_PAST = 100


class Past(JsonDocument, frozen=True):
    """An earlier prediction: stripped bytes as predicted and as built (0: not built yet)."""

    selection: str
    predicted: int
    actual: int


class UnitSize(JsonDocument, frozen=True):
    """A unit's kernel source, and its bytes in the last library that had it."""

    file: str
    bytes: int


class History(JsonDocument, frozen=True, kw_only=True):
    """The size history of a platform's libraries that were compiled with the same flags.

    Attributes:
      version: VERSION.
      base: bytes of the last library that belong to no unit.
      units: sizes of units, by the digest of a unit's text.
      past: predictions, oldest first.
    """

    version: Literal[1]
    base: int
    units: Mapping[str, UnitSize]
    past: tuple[Past, ...]


EMPTY = History(version=VERSION, base=0, units={}, past=())


@dataclass(frozen=True, slots=True)
class Prediction:
    """The predicted size of a library.

    Attributes:
      stripped: bytes of the stripped file.
      files: bytes of each unit, by its source.
      guessed: sources whose unit has a text that was never linked: their size is that of the most similar unit.
      past: earlier predictions.
    """

    stripped: int
    files: Mapping[str, int]
    guessed: tuple[str, ...]
    past: tuple[Past, ...]

    @property
    def to_compile(self) -> int:
        """Number of units that have to be compiled."""
        return len(self.guessed)

    @property
    def errors(self) -> tuple[float, ...]:
        """The relative errors of earlier predictions."""
        return tuple((p.predicted - p.actual) / p.actual for p in self.past if p.actual)


def path(platform: str, flags: str) -> Path:
    """Returns the history's file in the user's cache.

    Args:
      platform: name of the platform.
      flags: digest of the compiler flags.

    Raises:
      InvalidInput: the platform's name is no word.
    """
    if not platform.replace("_", "").isalnum():
        raise InvalidInput(
            f"{platform!r} is not a platform name: expected letters, digits and underscores"
        )
    return files.cache_directory() / "sizes" / f"{platform}-{flags}.json"


def load(file: Path) -> History:
    """Reads a history; one that does not exist, or that another version wrote, is empty."""
    try:
        return json_codec.decode(file.read_bytes(), History, str(file))
    except (OSError, InvalidInput):
        return EMPTY


def add(history: History, selection: Selection, report: Report) -> History:
    """Returns `history` with a library that was built."""
    by_file = report.by(lambda e: e.file if e.part == KERNELS else "")
    seen = {
        _digest(text): UnitSize(source, by_file.get(source, 0))
        for source, text in _texts(selection).items()
    }
    built = _selection_digest(selection)
    past = tuple(
        replace(p, actual=report.sizes["stripped"]) if p.selection == built and not p.actual else p
        for p in history.past
    )
    return replace(history, base=by_file.get("", 0), units={**history.units, **seen}, past=past)


def predict(history: History, selection: Selection) -> Prediction:
    """Predicts the stripped size of a selection's library from the attribution of earlier ones.

    A unit that was never linked counts as the largest unit of the same source, or else as the mean of all units.

    Raises:
      InvalidInput: the history is empty.
    """
    if not history.units:
        raise InvalidInput("the size history is empty: measure a library of this platform first")
    mean = sum(unit.bytes for unit in history.units.values()) // len(history.units)
    found: dict[str, int] = {}
    guessed = []
    for source, text in _texts(selection).items():
        known = history.units.get(_digest(text))
        if known is None:
            guessed.append(source)
            same_source = (u.bytes for u in history.units.values() if u.file == source)
            found[source] = max(same_source, default=mean)
        else:
            found[source] = known.bytes
    return Prediction(history.base + sum(found.values()), found, tuple(guessed), history.past)


def remember(history: History, selection: Selection, prediction: Prediction) -> History:
    """Returns `history` with a prediction, to compare with the library when it is built."""
    predicted = _selection_digest(selection)
    others = tuple(p for p in history.past if p.selection != predicted or p.actual)
    past = (*others, Past(predicted, prediction.stripped, 0))
    return replace(history, past=past[-_MAX_PAST:])


def _texts(selection: Selection) -> dict[str, bytes]:
    texts = units.units(selection)
    return {source: texts[units.file_name(source)] for source in selection.files}


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:24]


def _selection_digest(selection: Selection) -> str:
    """A digest of all units of a selection."""
    return _digest("".join(_digest(t) for _, t in sorted(units.units(selection).items())).encode())
