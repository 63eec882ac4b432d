"""Chooses the range that 8 bits represent from a histogram of a tensor's values. Pure.

Sources: the entropy method follows S. Migacz, "8-bit Inference with TensorRT" (NVIDIA, GTC 2017): of all thresholds, it
takes the one for which the clipped and quantized distribution loses the least information (Kullback-Leibler divergence).
Unlike there, values that are 0 are not counted, because quantization represents 0 exactly and half of the values after
a Relu are 0; and tensors without negative values have 255 levels above 0.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from tfcarve.prepare.calibrate.histogram import SIDE, Histogram
from tfcarve.prepare.graph.tensors import Array

Range = tuple[float, float]

# The number of bins between two thresholds that are tried.
_STEP = 16
_LEVELS = 255
# The probability of values that the quantized distribution does not have.
_TINY = 1e-12


def minmax(histogram: Histogram) -> Range:
    """Returns the minimum and the maximum."""
    return histogram.low, histogram.high


def percentile(histogram: Histogram, percent: float) -> Range:
    """Returns the range without the lowest and the highest 100 - `percent` percent of the values."""
    counts = histogram.counts.copy()
    counts[SIDE] += histogram.zeros
    sums = np.cumsum(counts)
    outside = histogram.total * (1 - percent / 100)
    first = int(np.searchsorted(sums, outside, side="right"))
    last = int(np.searchsorted(sums, histogram.total - outside, side="left"))
    low, high = ((index - SIDE) * histogram.width for index in (first, last + 1))
    return max(low, histogram.low), min(high, histogram.high)


def entropy(histogram: Histogram) -> Range:
    """Returns the range, symmetric unless the values are, that loses the least information."""
    sizes = histogram.counts[SIDE:] + histogram.counts[:SIDE][::-1]
    levels = _LEVELS if histogram.low >= 0 else _LEVELS // 2
    used = int(np.flatnonzero(sizes).max(initial=-1)) + 1
    if used <= levels:
        return minmax(histogram)
    tried = [*range(levels, used, _STEP), used]
    losses = [_divergence(sizes, end, levels) for end in tried]
    threshold = tried[int(np.argmin(losses))] * histogram.width
    return max(histogram.low, -threshold), min(histogram.high, threshold)


def _divergence(sizes: Array, end: int, levels: int) -> float:
    """Returns the divergence of the first `end` bins, clipped, from these bins quantized to `levels` levels."""
    kept = sizes[:end].astype(np.float64)
    clipped = kept.copy()
    clipped[-1] += sizes[end:].sum()
    starts = np.arange(levels) * end // levels
    occupied = np.add.reduceat((kept > 0).astype(np.float64), starts)
    means = np.add.reduceat(kept, starts) / np.maximum(occupied, 1)
    quantized = np.repeat(means, np.diff([*starts, end])) * (kept > 0)
    p, q = clipped / clipped.sum(), quantized / max(quantized.sum(), 1)
    there = p > 0
    return float((p[there] * np.log(p[there] / np.maximum(q[there], _TINY))).sum())


_METHODS: Mapping[str, Callable[[Histogram, float], Range]] = MappingProxyType(
    {
        "entropy": lambda histogram, _: entropy(histogram),
        "minmax": lambda histogram, _: minmax(histogram),
        "percentile": percentile,
    }
)
METHODS = tuple(_METHODS)
# The methods that need only the minimum and the maximum.
OF_ENDS = frozenset(("minmax",))


def chosen(histogram: Histogram, method: str, percent: float) -> Range:
    """Returns the range of a tensor that has values: it contains 0 and is not empty.

    Args:
      histogram: of the values.
      method: one of METHODS.
      percent: for the method percentile.
    """
    low, high = _METHODS[method](histogram, percent)
    low, high = (float(np.float32(end)) for end in (min(low, 0.0), max(high, 0.0)))
    return (low, high) if low < high else (low, low + 1.0)
