"""The results of the demo and how they are printed. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-5


@dataclass(frozen=True)
class Selected:
    """How much of TensorFlow a model needs."""

    ops: tuple[str, ...]
    kernels: int
    files: int

    @classmethod
    def of(cls, selection: Any) -> Selected:
        """Counts the entries of a selection.json."""
        return cls(
            ops=tuple(sorted({op["name"] for op in selection["ops"]})),
            kernels=len({(k["op"], k["class"]) for k in selection["kernels"]}),
            files=len(selection["files"]),
        )

    def text(self) -> str:
        """The counts in one line."""
        return f"{len(self.ops)} ops, {self.kernels} kernels, {self.files} source files"


@dataclass(frozen=True)
class Measured:
    """A library on one platform."""

    platform: str
    stripped: int
    gzip: int
    difference: float

    @property
    def agrees(self) -> bool:
        """Whether its output is that of full TensorFlow, within TOLERANCE."""
        return self.difference <= TOLERANCE  # False for nan


def table(measured: Sequence[Measured]) -> str:
    """A table of sizes and differences: a row for each platform."""
    rows = [("", "stripped", "gzip", "largest difference")]
    rows += [
        (m.platform, f"{m.stripped:,}", f"{m.gzip:,}", f"{m.difference:.1e}") for m in measured
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def clock(seconds: float) -> str:
    """A duration: 0.4 s, 38 s, 12 min 5 s."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def times(before: float, spent: Mapping[str, float]) -> str:
    """The seconds of the whole run, and where they went, in one line.

    Args:
        before: until the first stage: Bazel, system packages and the Python environment.
        spent: by stage or kind.
    """
    parts = [f"before the first step {clock(before)}"]
    parts += [f"{name} {clock(seconds)}" for name, seconds in spent.items()]
    return f"{clock(before + sum(spent.values()))}: {', '.join(parts)}"


def wrapped(words: Sequence[str], indent: str, width: int = 88) -> str:
    """Breaks words into indented lines of at most `width` columns."""
    lines = [indent]
    for word in words:
        if len(lines[-1]) + len(word) + 1 > width and lines[-1] != indent:
            lines.append(indent)
        lines[-1] += word if lines[-1] == indent else " " + word
    return "\n".join(lines)
