"""Places parts, their files and these files' classes on a plane by their bytes."""

from collections.abc import Mapping
from dataclasses import dataclass

import squarify  # type: ignore[import-untyped]

from tfcarve.size.report import Report

# What is drawn, in units of its own: the page scales it.
WIDTH, HEIGHT = 1200.0, 640.0
_HEADING = 18.0
_BORDER = 2.0
# Smaller than this it would be no more than a line.
_LEAST_AREA = 12.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: what it is of (part, then file), its bytes, and where it is."""

    part: str
    name: str
    bytes: int
    x: float
    y: float
    width: float
    height: float


def boxes(report: Report) -> list[Box]:
    """Returns a box for each part, and in it one for each file, the largest parts first."""
    parts = {part: size for part, size in report.by(lambda e: e.part).items() if size > 0}
    made: list[Box] = []
    for outer in _placed("", parts, 0.0, 0.0, WIDTH, HEIGHT):
        part = Box(outer.name, "", outer.bytes, outer.x, outer.y, outer.width, outer.height)
        made.append(part)
        files: dict[str, int] = {}
        for entry in report.entries:
            if entry.part == part.part:
                files[entry.file] = files.get(entry.file, 0) + entry.bytes
        made += _placed(
            part.part,
            {name: size for name, size in files.items() if size > 0},
            part.x + _BORDER,
            part.y + _HEADING,
            part.width - 2 * _BORDER,
            part.height - _HEADING - _BORDER,
        )
    return made


def _placed(
    part: str, sizes: Mapping[str, int], x: float, y: float, width: float, height: float
) -> list[Box]:
    if width <= 0 or height <= 0 or not sizes:
        return []
    ordered = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    scaled = squarify.normalize_sizes([size for _, size in ordered], width, height)
    placed = squarify.squarify(scaled, x, y, width, height)
    return [
        Box(part, name, size, at["x"], at["y"], at["dx"], at["dy"])
        for (name, size), at in zip(ordered, placed, strict=True)
        if at["dx"] * at["dy"] >= _LEAST_AREA
    ]
