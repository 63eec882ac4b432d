"""A histogram of the values of a tensor, whose range grows with the values. Pure."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from tfcarve.prepare.graph.tensors import Array

# The number of bins on each side of 0; a power of two.
SIDE = 2048
_SIDE_BITS = SIDE.bit_length() - 1
_NO_EXPONENT = -1100  # less than the exponent of any float64


def _no_counts() -> Array:
    return np.zeros(2 * SIDE, np.int64)


@dataclass(frozen=True)
class Histogram:
    """The values of a tensor. The memory does not depend on the number of values.

    Attributes:
      low: the minimum; infinite without values.
      high: the maximum; negative infinity without values.
      zeros: the number of values that are 0; they are in no bin.
      exponent: the width of a bin is 2 to this power.
      counts: the number of values in each bin; bin SIDE + i has the values from i to i + 1 times the width.
    """

    low: float = math.inf
    high: float = -math.inf
    zeros: int = 0
    exponent: int = _NO_EXPONENT
    counts: Array = field(default_factory=_no_counts)

    @property
    def width(self) -> float:
        """The width of a bin."""
        return math.ldexp(1.0, self.exponent)

    @property
    def total(self) -> int:
        """The number of values."""
        return self.zeros + int(self.counts.sum())

    @property
    def is_empty(self) -> bool:
        """Whether there are no values."""
        return self.low > self.high

    def with_ends(self, values: Array) -> "Histogram":
        """Returns the histogram with the minimum and maximum of more finite floats, which are not counted."""
        if not values.size:
            return self
        low, high = float(values.min()), float(values.max())
        return replace(self, low=min(self.low, low), high=max(self.high, high))

    def with_values(self, values: Array) -> "Histogram":
        """Returns the histogram with more values, which must be finite floats."""
        flat = values.reshape(-1).astype(np.float64)
        nonzero = flat[flat != 0]
        zeros = self.zeros + flat.size - nonzero.size
        found = replace(self.with_ends(values), zeros=zeros)
        if not nonzero.size:
            return found
        _, bits = math.frexp(float(np.abs(nonzero).max()))
        exponent = max(self.exponent, bits - _SIDE_BITS)
        bins = np.floor(np.ldexp(nonzero, -exponent)).astype(np.int64) + SIDE
        counts = _widened(self.counts, exponent - self.exponent)
        counts += np.bincount(bins, minlength=2 * SIDE)
        return replace(found, exponent=exponent, counts=counts)


def _widened(counts: Array, bits: int) -> Array:
    """Returns the counts in bins that are 2 to the power of `bits` times as wide."""
    merged = 1 << min(bits, _SIDE_BITS)
    left = SIDE // merged
    found = _no_counts()
    for start, to in ((0, SIDE - left), (SIDE, SIDE)):
        found[to : to + left] = counts[start : start + SIDE].reshape(left, merged).sum(axis=1)
    return found
