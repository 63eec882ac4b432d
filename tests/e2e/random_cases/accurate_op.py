"""An op whose error is compared with full TensorFlow's: its input, its outputs, and what they are in double precision.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from e2e.random_cases import drawn_op
from models import frozen

# The operands of an op are in as many parts of its input. A prime number of elements, so that repeated parts are aligned with
# neither vectors nor blocks.
_PARTS, _PART = 5, 6547
SIZE = _PARTS * _PART
assert SIZE <= drawn_op.SIZE

# Smaller numbers may be flushed to zero.
TINY = float(np.finfo(np.float32).tiny)

_OFFSETS = (0.0, 0.0, 1.0, -40.0, 1e3, -1e5, 1e7)
_SCALES = (1.0, 1.0, 3.0, 1e-3, 30.0, 1e4, 1e-30, 1e-15, 1e15, 1e30)
_SPECIAL = (np.nan, np.inf, -np.inf, -0.0, np.finfo(np.float32).max)
# A special number is in each place, or in as good as none.
_STEPS = (1, 2, 5, 41, 1009, _PART)


@dataclass(frozen=True)
class Numbers:
    """Random numbers: `offset` plus normally distributed ones times `scale`; each `step`th one from `first` on is `special`.

    The others are their absolute values if `is_positive`.
    """

    offset: float
    scale: float
    special: float | None = None
    first: int = 0
    step: int = 1
    is_positive: bool = False

    def drawn(self, seed: int) -> Any:
        """Returns _PART of them, float32."""
        normal = np.random.default_rng([frozen.SEED, seed]).normal(0, 1, _PART)
        numbers = (self.offset + self.scale * normal).astype(np.float32)
        if self.is_positive:
            numbers = np.abs(numbers)
        if self.special is not None:
            numbers[self.first :: self.step] = self.special
        return numbers


@st.composite
def numbers(
    draw: st.DrawFn, offsets: Sequence[float] = _OFFSETS, scales: Sequence[float] = _SCALES
) -> Numbers:
    """Draws an offset, a scale, and a special number with its places; mostly none."""
    offset, scale = draw(st.sampled_from(offsets)), draw(st.sampled_from(scales))
    if draw(st.integers(0, 3)):
        return Numbers(offset, scale)
    step = draw(st.sampled_from(_STEPS))
    special = draw(st.sampled_from(_SPECIAL))
    return Numbers(offset, scale, special, draw(st.integers(0, min(step, 50) - 1)), step)


# Weights, whose products with most numbers are no larger than a float.
weights = numbers((0.0, 0.0, 1.0, -3.0), (1.0, 1.0, 1e-3, 100.0, 1e-8, 1e8))
ordinary_weights = weights.filter(lambda drawn: drawn.special is None)
# Their negative special numbers make NaN.
variances = weights.map(lambda drawn: replace(drawn, is_positive=True))


@dataclass(frozen=True)
class Exact:
    """An output in double precision.

    Attributes:
      value: its elements.
      size: the magnitude of the numbers that are rounded, such as the sum of the absolute values of terms. The error of each
        element is divided by its magnitude.
      peak: an upper bound of the intermediate results. If it exceeds the largest float, the order of the terms determines
        whether the element is finite.
      least: the absolute error that is always accepted, because a kernel may flush subnormal numbers to zero.
    """

    value: Any
    size: Any
    peak: Any = None
    least: float = 0.0


@dataclass(frozen=True)
class AccurateOp:
    """An op.

    Attributes:
      text: what it is, for the report of a failure.
      numbers: the parts of its input.
      outputs: makes its outputs from the flat input, float32.
      exact: the same outputs from the same input, float64.
    """

    text: str
    numbers: Sequence[Numbers]
    outputs: Callable[[Any], Sequence[Any]]
    exact: Callable[[Any], Sequence[Exact]]

    def __repr__(self) -> str:
        return f"{self.text}, {[*self.numbers]}"

    def fed(self) -> Any:
        """Returns the input."""
        parts = [part.drawn(seed) for seed, part in enumerate(self.numbers)]
        fed = np.ones(drawn_op.SIZE, np.float32)
        fed[: len(parts) * _PART] = np.concatenate(parts)
        return fed

    def graph(self) -> Any:
        """Returns the GraphDef with the input and the concatenated outputs."""
        return drawn_op.graph(self.outputs)

    def exact_graph(self) -> Any:
        """Returns a GraphDef with the flat input and, as its output in float64, the rows value, size, peak and least."""
        with tf.Graph().as_default() as made:
            flat = tf.compat.v1.placeholder(tf.float32, [drawn_op.SIZE], name=frozen.INPUT)
            rows = [_rows(each) for each in self.exact(tf.cast(flat, tf.float64))]
            tf.identity(tf.concat(rows, 1), name=frozen.OUTPUT)
        return made.as_graph_def()


def _rows(exact: Exact) -> Any:
    value = tf.reshape(exact.value, [-1])
    size = tf.reshape(tf.broadcast_to(exact.size, tf.shape(exact.value)), [-1])
    peak = size if exact.peak is None else exact.peak
    peak = tf.reshape(tf.broadcast_to(tf.reshape(peak, [-1]), tf.shape(value)), [-1])
    return tf.stack([value, size, peak, tf.fill(tf.shape(value), tf.cast(exact.least, tf.float64))])


def operand(flat: Any, shape: Sequence[int], part: int) -> Any:
    """Returns a tensor with the numbers of a part of the input, repeated."""
    count = int(np.prod(shape))
    numbers = flat[part * _PART : (part + 1) * _PART]
    repeated = tf.tile(numbers, [-(-count // _PART)]) if count > _PART else numbers
    return tf.reshape(repeated[:count], shape)
