"""Graphs that cut, join, fill and update random tensors, for all element sizes and ranks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from e2e.graphs.slice_graphs import (
    LARGE,
    MAX_RANK,
    SIZE,
    TYPES,
    bytes_of,
    drawn_shape,
    ends,
    large,
    tensor_of,
)
from models import frozen

# Types for which TensorFlow has kernels that compare and subtract.
_NUMBERS = (tf.uint8, tf.int16, tf.half, tf.bfloat16, tf.int32, tf.float32, tf.float64, tf.int64)
# The most dimensions that a row of indices selects.
_MAX_SELECTED = 7


def _cut(drawn: np.random.Generator, tensor: Any) -> Iterator[Any]:
    shape = tensor.shape.as_list()
    ends = [sorted(int(i) for i in drawn.integers(0, size + 1, 2)) for size in shape]
    yield tf.slice(tensor, [first for first, _ in ends], [last - first for first, last in ends])
    axis = int(drawn.integers(0, len(shape)))
    yield from tf.split(tensor, shape[axis], axis)
    first = int(drawn.integers(0, shape[axis] + 1))
    yield from tf.split(tensor, [first, 0, shape[axis] - first], axis)


def _joined(drawn: np.random.Generator, given: Any, dtype: Any, rank: int) -> Any:
    shape, axis = drawn_shape(drawn, rank), int(drawn.integers(0, rank))
    sizes = [int(n) for n in drawn.integers(0, 4, 5)] + [1]
    parts = [
        tensor_of(given[3 * n :], dtype, (*shape[:axis], size, *shape[axis + 1 :]))
        for n, size in enumerate(sizes)
        if size * math.prod(shape) * max(dtype.size, 1) <= SIZE - 64
    ]
    return tf.concat(parts, axis) if len(parts) > 1 else tf.identity(parts[0])


def _of_type(given: Any, dtype: Any) -> Iterator[Any]:
    drawn = np.random.default_rng(frozen.SEED)
    for rank in range(1, MAX_RANK + 1):
        tensor = tensor_of(given, dtype, drawn_shape(drawn, rank))
        yield from _cut(drawn, tensor)
        yield _joined(drawn, given, dtype, rank)
        yield tf.fill(drawn_shape(drawn, rank), tf.reshape(tensor, [-1])[0])
        if dtype != tf.string:
            yield tf.raw_ops.ZerosLike(x=tensor)
        # TensorFlow's graph optimizer replaces unsigned ones of these sizes by zeros; its kernel returns ones.
        if dtype not in (tf.string, tf.uint32, tf.uint64):
            yield tf.raw_ops.OnesLike(x=tensor)


def _of_large(given: Any) -> Iterator[Any]:
    tensor = large(given)
    return ends(
        (
            tf.slice(tensor, [1, 0, 5], [60, 3, 1000]),
            *tf.split(tensor, [1000, 24], 2),
            tf.concat([tensor[:, :, :5], tensor, tensor[:, :, 7:]], 2),
            tf.concat([tensor, tensor[:7], tensor], 0),
            tf.fill(LARGE, given[0]),
        )
    )


def pieces() -> Any:
    """Returns the GraphDef of Slice, Split, Concat and Fill; its input has SIZE bytes."""
    with tf.Graph().as_default() as graph:
        given = tf.compat.v1.placeholder(tf.uint8, [SIZE], name=frozen.INPUT)
        parts = [bytes_of(part) for dtype in TYPES for part in _of_type(given, dtype)]
        tf.concat([*parts, *map(bytes_of, _of_large(given))], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


def _indices(drawn: np.random.Generator, dims: tuple[int, ...], rank: int) -> Any:
    """Returns indices of eight slices; some slices are selected more than once."""
    rows = np.stack([drawn.integers(0, size, 8) for size in dims], -1)
    return tf.constant(rows.astype((np.int32, np.int64)[rank % 2]))


def _scattered(drawn: np.random.Generator, given: Any, dtype: Any, rank: int) -> Iterator[Any]:
    shape = drawn_shape(drawn, rank)
    dims = shape[: int(drawn.integers(1, min(rank, _MAX_SELECTED) + 1))]
    rest = shape[len(dims) :]
    indices = _indices(drawn, dims, rank)
    # Small integers: their sums are exact in all types.
    numbers = tf.cast(given[: 8 * math.prod(rest)] % 8, dtype)
    updates = tf.reshape(numbers, (8, *rest))
    tensor = tf.reshape(tf.cast(given[: math.prod(shape)], dtype), shape)
    yield tf.scatter_nd(indices, updates, tf.constant(shape, indices.dtype))
    for update in (
        tf.tensor_scatter_nd_update,
        tf.tensor_scatter_nd_add,
        tf.tensor_scatter_nd_sub,
        tf.tensor_scatter_nd_min,
        tf.tensor_scatter_nd_max,
    ):
        yield update(tensor, indices, updates)


def scatters() -> Any:
    """Returns the GraphDef of ops that update slices; its input has SIZE bytes."""
    drawn = np.random.default_rng(frozen.SEED)
    with tf.Graph().as_default() as graph:
        given = tf.compat.v1.placeholder(tf.uint8, [SIZE], name=frozen.INPUT)
        parts = [
            tf.reshape(tf.cast(part, tf.float32), [-1])
            for dtype in _NUMBERS
            for rank in range(1, MAX_RANK + 1)
            for part in _scattered(drawn, given, dtype, rank)
        ]
        texts = tensor_of(given, tf.string, (5, 3))
        places = _indices(drawn, (5,), 1)
        changed = tf.tensor_scatter_nd_update(texts, places, tensor_of(given, tf.string, (8, 3)))
        parts.append(tf.cast(bytes_of(changed), tf.float32))
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()
