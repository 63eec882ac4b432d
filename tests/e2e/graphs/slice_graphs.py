"""A graph that reads and writes random slices of tensors, tiles and gathers, for all element sizes and ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

import extent
from models import frozen

# The most bytes that a tensor has.
SIZE = 4096
MAX_RANK = 8
# The most dimensions that a row of indices of GatherNd selects.
_MAX_SELECTED = 7
_MAX_ELEMENTS = SIZE // 16
# One type of each size whose bytes are copied, and the types with loops of their own.
QUICK_TYPES = (tf.uint8, tf.half, tf.int32, tf.float64, tf.complex128, tf.string)
TYPES = (
    *QUICK_TYPES,
    *(tf.int16, tf.bfloat16, tf.uint32, tf.float32, tf.int64, tf.uint64, tf.complex64),
)
# Slices of each type: two of each rank, and tensors with more than one part for each thread.
_CASES = 2 * MAX_RANK
LARGE = (64, 3, 1024)


@dataclass(frozen=True)
class _Slice:
    """A slice of a tensor, as the attributes and inputs of StridedSlice describe it.

    Attributes:
      shape: of the tensor.
      begin, end, strides: of each dimension.
      shrunk: the dimensions that the slice does not have, because it has one element of them.
    """

    shape: tuple[int, ...]
    begin: tuple[int, ...]
    end: tuple[int, ...]
    strides: tuple[int, ...]
    shrunk: tuple[int, ...]

    def inputs(self) -> dict[str, Any]:
        """The inputs and attributes that the three ops share."""
        ends = {"begin": self.begin, "end": self.end, "strides": self.strides}
        found: dict[str, Any] = {name: tf.constant(value) for name, value in ends.items()}
        return {**found, "shrink_axis_mask": sum(1 << d for d in self.shrunk)}

    def result(self) -> tuple[int, ...]:
        """The shape of the slice."""
        parts = zip(self.begin, self.end, self.strides, strict=True)
        index = [
            begin if d in self.shrunk else slice(begin, end if end >= 0 else None, stride)
            for d, (begin, end, stride) in enumerate(parts)
        ]
        return np.empty(self.shape, np.uint8)[tuple(index)].shape


def _drawn_slice(drawn: np.random.Generator, rank: int) -> _Slice:
    shape = drawn_shape(drawn, rank)
    begin, end, strides, shrunk = [], [], [], []
    for d, size in enumerate(shape):
        stride = int(drawn.choice([1, 1, 2, 3, -1, -2]))
        first, last = sorted(int(i) for i in drawn.integers(0, size, 2))
        if drawn.random() < 0.2:
            shrunk.append(d)
            stride, last = 1, first
        # -1 as the end of a slice that goes backwards would be the last element: the slice ends before the first one.
        begin.append(first if stride > 0 else last)
        end.append(last + 1 if stride > 0 else first - 1 if first else -size - 1)
        strides.append(stride)
    return _Slice(shape, tuple(begin), tuple(end), tuple(strides), tuple(shrunk))


def drawn_shape(drawn: np.random.Generator, rank: int) -> tuple[int, ...]:
    """Returns a shape whose tensors of each type have at most SIZE bytes."""
    while True:
        shape = tuple(int(n) for n in drawn.integers(1, 6, rank))
        if math.prod(shape) <= _MAX_ELEMENTS:
            return shape


def tensor_of(given: Any, dtype: Any, shape: Sequence[int]) -> Any:
    """Returns a tensor of the first bytes of `given`; strings have one byte each."""
    count = math.prod(shape)
    if dtype == tf.string:
        texts = [b"tensor"[: n % 7] * (1 + n % 5) for n in range(count)]
        return tf.reshape(tf.constant(texts, tf.string), shape)
    if dtype.size == 1:
        return tf.reshape(tf.bitcast(given[:count], dtype), shape)
    return tf.reshape(
        tf.bitcast(tf.reshape(given[: count * dtype.size], [count, dtype.size]), dtype), shape
    )


def bytes_of(tensor: Any) -> Any:
    """Returns the bytes of a tensor, or those of the lengths of its strings."""
    numbers = tf.strings.length(tensor) if tensor.dtype == tf.string else tensor
    return tf.reshape(tf.bitcast(numbers, tf.uint8), [-1])


def _of_slice(drawn: np.random.Generator, given: Any, dtype: Any, one: _Slice) -> Iterator[Any]:
    tensor, inputs, result = tensor_of(given, dtype, one.shape), one.inputs(), one.result()
    yield tf.raw_ops.StridedSlice(input=tensor, **inputs)
    part = tensor_of(given[7:], dtype, result)
    yield tf.raw_ops.StridedSliceGrad(shape=tf.constant(one.shape), dy=part, **inputs)
    # Some of the dimensions are repeated.
    repeated = [1 if drawn.random() < 0.3 else size for size in result]
    value = tensor_of(given[9:], dtype, repeated)
    yield tf.raw_ops.TensorStridedSliceUpdate(input=tensor, value=value, **inputs)


def _tiled(drawn: np.random.Generator, given: Any, dtype: Any, rank: int) -> Any:
    multiples = [int(n) for n in drawn.choice([1, 1, 1, 2, 3], rank)]
    return tf.tile(tensor_of(given, dtype, drawn_shape(drawn, rank)), multiples)


def _gathered(drawn: np.random.Generator, given: Any, dtype: Any, rank: int) -> Any:
    shape = drawn_shape(drawn, rank)
    selected = shape[: int(drawn.integers(0, min(rank, _MAX_SELECTED) + 1))]
    rows = np.stack([drawn.integers(0, size, (4, 2)) for size in selected], -1) if selected else []
    index_type = (np.int16, np.int32, np.int64)[rank % 3]
    indices = np.reshape(np.array(rows, index_type), (4, 2, len(selected)) if selected else (4, 0))
    return tf.gather_nd(tensor_of(given, dtype, shape), tf.constant(indices))


def _of_type(given: Any, dtype: Any) -> Iterator[Any]:
    drawn = np.random.default_rng(frozen.SEED)
    for case in range(_CASES):
        rank = case % MAX_RANK + 1
        yield from _of_slice(drawn, given, dtype, _drawn_slice(drawn, rank))
        # TensorFlow tiles more than seven dimensions element by element.
        yield _tiled(drawn, given, dtype, rank)
        yield _gathered(drawn, given, dtype, rank)


def large(given: Any) -> Any:
    """Returns a tensor of shape LARGE, which threads share."""
    return tf.tile(tf.reshape(given[: LARGE[2]], [1, 1, -1]), [LARGE[0], LARGE[1], 1])


def ends(results: Sequence[Any]) -> Iterator[Any]:
    """Yields the first and the last bytes of large results."""
    for result in results:
        flat = tf.reshape(result, [-1])
        yield flat[:3000]
        yield flat[-3000:]


def _of_large(tensor: Any) -> Iterator[Any]:
    return ends((tensor[::-1, :, 5:1000], tensor[1:, 1], tf.tile(tensor, [2, 1, 1])))


def slices() -> Any:
    """Returns the GraphDef; its input has SIZE bytes."""
    with tf.Graph().as_default() as graph:
        given = tf.compat.v1.placeholder(tf.uint8, [SIZE], name=frozen.INPUT)
        parts = [
            bytes_of(part)
            for dtype in extent.of(QUICK_TYPES, TYPES)
            for part in _of_type(given, dtype)
        ]
        tf.concat([*parts, *map(bytes_of, _of_large(large(given)))], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()
