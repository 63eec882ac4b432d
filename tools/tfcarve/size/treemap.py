"""Lays out the parts of a library and their source files as a treemap."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import squarify  # type: ignore[import-untyped]

from tfcarve.size.report import Report

# Names with their bytes.
_Sizes = Sequence[tuple[str, int]]

# In units of the drawing, which the page scales.
WIDTH, HEIGHT = 1200.0, 640.0
_HEADING = 18.0
_BORDER = 2.0
# Smaller boxes would be mere lines.
_MIN_AREA = 12.0
# In each part. The time to place boxes grows with the square of their number, and squarify recurses for each row of them.
_MAX_BOXES = 400


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with its bytes and its place: of a part, of the file `name` in a part, or of all small files in a part."""

    part: str
    name: str
    bytes: int
    x: float
    y: float
    width: float
    height: float


def boxes(report: Report) -> list[Box]:
    """Returns a box for each part, largest first, followed by boxes for its files inside it.

    Files that are too small to be seen, and those after the 400 largest, share one box of their part.
    """
    files: dict[str, Counter[str]] = defaultdict(Counter)
    for entry in report.entries:
        files[entry.part][entry.file] += entry.bytes
    found: list[Box] = []
    parts = _visible(_ordered(report.by(lambda e: e.part)), WIDTH * HEIGHT)
    for part in _placed("", parts, 0.0, 0.0, WIDTH, HEIGHT):
        found.append(replace(part, part=part.name, name=""))
        width = max(part.width - 2 * _BORDER, 0.0)
        height = max(part.height - _HEADING - _BORDER, 0.0)
        shown = _with_others(_ordered(files[part.name]), width * height)
        found += _placed(part.name, shown, part.x + _BORDER, part.y + _HEADING, width, height)
    return found


def _ordered(sizes: Mapping[str, int]) -> _Sizes:
    """Returns the positive sizes with their names, largest first."""
    return sorted((i for i in sizes.items() if i[1] > 0), key=lambda i: (-i[1], i[0]))


def _visible(sizes: _Sizes, area: float) -> _Sizes:
    """Returns the sizes whose share of an area can be seen."""
    least = _MIN_AREA * sum(size for _, size in sizes)
    return [(name, size) for name, size in sizes if size * area >= least]


def _with_others(sizes: _Sizes, area: float) -> _Sizes:
    """Returns the sizes of files that get a box of their own, and the sum of the others, largest first."""
    shown = _visible(sizes, area)[:_MAX_BOXES]
    others = sizes[len(shown) :]
    if not others:
        return shown
    name = f"{len(others):,} other file{'' if len(others) == 1 else 's'}"
    whole = sorted([*shown, (name, sum(size for _, size in others))], key=lambda i: -i[1])
    return _visible(whole, area)


def _placed(part: str, sizes: _Sizes, x: float, y: float, width: float, height: float) -> list[Box]:
    """Returns boxes that fill a rectangle, for sizes in descending order."""
    scaled = squarify.normalize_sizes([size for _, size in sizes], width, height)
    placed = squarify.squarify(scaled, x, y, width, height)
    return [
        Box(part, name, size, at["x"], at["y"], at["dx"], at["dy"])
        for (name, size), at in zip(sizes, placed, strict=True)
    ]
