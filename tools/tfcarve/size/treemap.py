"""Lays out the parts of a library and their source files as a treemap."""

from collections.abc import Mapping
from dataclasses import dataclass

import squarify  # type: ignore[import-untyped]

from tfcarve.size.report import Report

# In units of the drawing, which the page scales.
WIDTH, HEIGHT = 1200.0, 640.0
_HEADING = 18.0
_BORDER = 2.0
# Smaller boxes would be mere lines.
_MIN_AREA = 12.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle for a part, or for the file `name` of a part, with its bytes and its place."""

    part: str
    name: str
    bytes: int
    x: float
    y: float
    width: float
    height: float


def boxes(report: Report) -> list[Box]:
    """Returns a box for each part, largest first, followed by boxes for its files inside it."""
    parts = {part: size for part, size in report.by(lambda e: e.part).items() if size > 0}
    found: list[Box] = []
    for outer in _placed("", parts, 0.0, 0.0, WIDTH, HEIGHT):
        part = Box(outer.name, "", outer.bytes, outer.x, outer.y, outer.width, outer.height)
        found.append(part)
        files: dict[str, int] = {}
        for entry in report.entries:
            if entry.part == part.part:
                files[entry.file] = files.get(entry.file, 0) + entry.bytes
        found += _placed(
            part.part,
            {name: size for name, size in files.items() if size > 0},
            part.x + _BORDER,
            part.y + _HEADING,
            part.width - 2 * _BORDER,
            part.height - _HEADING - _BORDER,
        )
    return found


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
        if at["dx"] * at["dy"] >= _MIN_AREA
    ]
