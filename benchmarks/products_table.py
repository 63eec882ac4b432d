"""Products of matrices as Markdown: how fast each library's are, and for how many bytes of code."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import measure

# A product's largest error, as products.cc measures it. Sums of floats in any order are far below.
TOLERANCE = 1e-5


class WrongProduct(Exception):
    """A library computed something else than the plain loop."""


@dataclass(frozen=True)
class Shape:
    """A product's shape: left is rows x depth, right is depth x columns."""

    rows: int
    columns: int
    depth: int

    def __str__(self) -> str:
        """As products.cc takes it."""
        return f"{self.rows}x{self.columns}x{self.depth}"

    @property
    def multiply_adds(self) -> int:
        """How many there are."""
        return self.rows * self.columns * self.depth


@dataclass(frozen=True)
class Candidate:
    """A way to compute products.

    Attributes:
      name: what the table calls it.
      code: its bytes of machine code.
    """

    name: str
    code: int


@dataclass(frozen=True)
class Taken:
    """What a product took.

    Attributes:
      seconds: CPU time of the product.
      pack_seconds: CPU time of packing its right operand, where that is kept.
      packed: bytes of what is kept.
      error: the largest one, see products.cc.
    """

    seconds: float
    pack_seconds: float
    packed: int
    error: float


@dataclass(frozen=True)
class Counted:
    """Instructions of a product, and of packing its right operand where that is kept."""

    product: int
    packing: int


# For each candidate what each shape took; no row for what this machine can't run.
Times = Mapping[Candidate, Sequence[Taken]]
Counts = Mapping[Candidate, Sequence[Counted]]


def parse(text: str, shapes: Sequence[Shape], candidates: Sequence[Candidate]) -> Times:
    """Reads what products.cc prints.

    Raises:
        ValueError: it is not what that prints, or a line is missing.
    """
    found: dict[tuple[int, int], Taken | None] = {}
    for line in text.splitlines():
        shape, candidate, *values = line.split()
        taken = None
        if values != ["unsupported"]:
            seconds, pack_seconds, packed, error = values
            taken = Taken(float(seconds), float(pack_seconds), int(packed), float(error))
        found[int(shape), int(candidate)] = taken
    if len(found) != len(shapes) * len(candidates):
        raise ValueError(f"{len(found)} lines for {len(shapes)} shapes by {len(candidates)} ways")
    rows = {
        candidate: [found[s, c] for s in range(len(shapes))]
        for c, candidate in enumerate(candidates)
    }
    return {c: [t for t in row if t] for c, row in rows.items() if None not in row}


def check(times: Times, shapes: Sequence[Shape]) -> None:
    """Raises WrongProduct where an error is above TOLERANCE."""
    wrong = [
        f"{candidate.name}, {shape}: {taken.error:.1e}"
        for candidate, row in times.items()
        for shape, taken in zip(shapes, row, strict=True)
        if not taken.error <= TOLERANCE
    ]
    if wrong:
        raise WrongProduct(f"wrong by more than {TOLERANCE:.0e}: {'; '.join(wrong)}")


def gflops(shapes: Iterable[Shape], seconds: float) -> float:
    """Returns billions of operations a second, two for each multiply-add."""
    return 2e-9 * sum(shape.multiply_adds for shape in shapes) / seconds


def times_table(times: Times, shapes: Sequence[Shape]) -> str:
    """Returns GFLOPS of each candidate, by shape and for all."""
    lines = []
    for candidate, row in times.items():
        total = gflops(shapes, sum(t.seconds for t in row))
        anew = gflops(shapes, sum(t.seconds + (t.pack_seconds if t.packed else 0) for t in row))
        each = [f"{gflops([s], t.seconds):.1f}" for s, t in zip(shapes, row, strict=True)]
        code = f"{candidate.code:,}"
        per_kilobyte = f"{total / candidate.code * 1e3:.1f}"
        lines.append([candidate.name, *each, f"{total:.1f}", f"{anew:.1f}", code, per_kilobyte])
    head = ("GFLOPS", *map(str, shapes), "all", "all, packed anew", "code", "GFLOPS per kB")
    return measure.markdown(head, lines)


def counts_table(counts: Counts, shapes: Sequence[Shape], lanes: int) -> str:
    """Returns the instructions of each candidate for each of the multiply-adds alone.

    Args:
      lanes: how many multiply-adds an instruction does.
    """
    alone = [math.ceil(shape.multiply_adds / lanes) for shape in shapes]
    lines = []
    for candidate, row in counts.items():
        each = [f"{c.product / a:.2f}" for c, a in zip(row, alone, strict=True)]
        total = sum(c.product for c in row) / sum(alone)
        anew = sum(c.product + c.packing for c in row) / sum(alone)
        lines.append([candidate.name, *each, f"{total:.2f}", f"{anew:.2f}", f"{candidate.code:,}"])
    head = ("Instructions", *map(str, shapes), "all", "all, packed anew", "code")
    return measure.markdown(head, lines)
