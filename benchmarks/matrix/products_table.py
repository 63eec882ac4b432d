"""Speed and code size of matrix products, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import measure

# The largest permitted error, as products.cc computes it. Sums of floats in any order are far below.
TOLERANCE = 1e-5


class WrongProduct(Exception):
    """A library's product differs from that of the plain loop."""


@dataclass(frozen=True)
class Shape:
    """A product's shape: left is rows x depth, right is depth x columns."""

    rows: int
    columns: int
    depth: int

    def __str__(self) -> str:
        """Returns the argument of products.cc."""
        return f"{self.rows}x{self.columns}x{self.depth}"

    @property
    def multiply_adds(self) -> int:
        """The number of multiply-adds."""
        return self.rows * self.columns * self.depth


@dataclass(frozen=True)
class Candidate:
    """An implementation of products.

    Attributes:
      name: in the table.
      code: bytes of machine code.
    """

    name: str
    code: int


@dataclass(frozen=True)
class Timing:
    """The cost of a product.

    Attributes:
      seconds: CPU time of the product.
      pack_seconds: CPU time of packing its right operand, if the packed copy is stored.
      packed: bytes of the packed copy.
      error: the largest error, see products.cc.
    """

    seconds: float
    pack_seconds: float
    packed: int
    error: float


@dataclass(frozen=True)
class Counted:
    """Instructions of a product, and of packing its right operand if the packed copy is stored."""

    product: int
    packing: int


# A row for each candidate that this machine can run, with one value for each shape.
Times = Mapping[Candidate, Sequence[Timing]]
Counts = Mapping[Candidate, Sequence[Counted]]


def parse(text: str, shapes: Sequence[Shape], candidates: Sequence[Candidate]) -> Times:
    """Parses the output of products.cc.

    Raises:
        ValueError: the output is malformed or a line is missing.
    """
    found: dict[tuple[int, int], Timing | None] = {}
    for line in text.splitlines():
        shape, candidate, *values = line.split()
        timing = None
        if values != ["unsupported"]:
            seconds, pack_seconds, packed, error = values
            timing = Timing(float(seconds), float(pack_seconds), int(packed), float(error))
        found[int(shape), int(candidate)] = timing
    if len(found) != len(shapes) * len(candidates):
        raise ValueError(f"expected {len(shapes)} x {len(candidates)} lines, not {len(found)}")
    rows = {
        candidate: [found[s, c] for s in range(len(shapes))]
        for c, candidate in enumerate(candidates)
    }
    return {c: [t for t in row if t] for c, row in rows.items() if None not in row}


def check(times: Times, shapes: Sequence[Shape]) -> None:
    """Raises WrongProduct if an error exceeds TOLERANCE."""
    wrong = [
        f"{candidate.name}, {shape}: {timing.error:.1e}"
        for candidate, row in times.items()
        for shape, timing in zip(shapes, row, strict=True)
        if not timing.error <= TOLERANCE
    ]
    if wrong:
        raise WrongProduct(f"error above {TOLERANCE:.0e}: {'; '.join(wrong)}")


def gflops(shapes: Iterable[Shape], seconds: float) -> float:
    """Returns billions of operations per second, two for each multiply-add."""
    return 2e-9 * sum(shape.multiply_adds for shape in shapes) / seconds


def times_table(times: Times, shapes: Sequence[Shape]) -> str:
    """Returns a table of the GFLOPS of each candidate, by shape and in total."""
    lines = []
    for candidate, row in times.items():
        total = gflops(shapes, sum(t.seconds for t in row))
        repacked = gflops(shapes, sum(t.seconds + (t.pack_seconds if t.packed else 0) for t in row))
        each = [f"{gflops([s], t.seconds):.1f}" for s, t in zip(shapes, row, strict=True)]
        code = f"{candidate.code:,}"
        per_kilobyte = f"{total / candidate.code * 1e3:.1f}"
        lines.append([candidate.name, *each, f"{total:.1f}", f"{repacked:.1f}", code, per_kilobyte])
    head = ("GFLOPS", *map(str, shapes), "all", "all, with packing", "code", "GFLOPS per kB")
    return measure.markdown(head, lines)


def counts_table(counts: Counts, shapes: Sequence[Shape], lanes: int) -> str:
    """Returns a table of the instructions of each candidate, divided by those of the multiply-adds alone.

    Args:
      counts: the instructions.
      shapes: of the products.
      lanes: number of multiply-adds per instruction.
    """
    alone = [math.ceil(shape.multiply_adds / lanes) for shape in shapes]
    lines = []
    for candidate, row in counts.items():
        each = [f"{c.product / a:.2f}" for c, a in zip(row, alone, strict=True)]
        total = sum(c.product for c in row) / sum(alone)
        repacked = sum(c.product + c.packing for c in row) / sum(alone)
        lines.append(
            [candidate.name, *each, f"{total:.2f}", f"{repacked:.2f}", f"{candidate.code:,}"]
        )
    head = ("Instructions", *map(str, shapes), "all", "all, with packing", "code")
    return measure.markdown(head, lines)
