"""A graph with gradients of tiled tensors: TileGrad, which graphs of producer versions below 3 have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from models import frozen

# The most elements of a tensor.
_SIZE = 256
_OLD_PRODUCER = 2
_PREFIX = "gradient"
_TYPES = (
    *(tf.half, tf.float32, tf.float64, tf.complex64, tf.complex128),
    *(tf.int16, tf.int32, tf.int64),
)


def _drawn_shapes(drawn: np.random.Generator, rank: int) -> tuple[list[int], list[int]]:
    """Returns a shape of at most _SIZE elements, and how often a tile repeats in each dimension."""
    while True:
        tile = drawn.integers(1, 5, rank)
        if drawn.random() < 0.5:
            multiples = drawn.choice([1, 2, 3], rank)
        else:
            # One dimension is the sum of tiles of one element: a kernel reduces it at once.
            reduced = int(drawn.integers(0, rank))
            tile[reduced] = 1
            multiples = np.ones(rank, int)
            multiples[reduced] = drawn.integers(2, 9)
        shape = [int(size) for size in tile * multiples]
        if math.prod(shape) <= _SIZE:
            return shape, [int(n) for n in multiples]


def _gradients(given: Any) -> Iterator[Any]:
    drawn = np.random.default_rng(frozen.SEED)
    for dtype in _TYPES:
        for case in range(14):
            shape, multiples = _drawn_shapes(drawn, case % 7 + 1)
            first = _SIZE if dtype == tf.half else 0
            tensor = tf.cast(tf.reshape(given[first : first + math.prod(shape)], shape), dtype)
            # It has the inputs and attributes of TileGrad, which Python cannot create.
            gradient = tf.raw_ops.Tile(input=tensor, multiples=multiples, name=_PREFIX)
            parts = [gradient]
            if dtype.is_complex:
                parts = [tf.math.real(gradient), tf.math.imag(gradient)]
            for part in parts:
                yield tf.reshape(tf.cast(part, tf.float32), [-1])


def fed(drawn: np.random.Generator) -> Any:
    """Returns the input: integers, then small ones, whose sums are exact in half precision."""
    parts = [drawn.integers(-100, 101, _SIZE), drawn.integers(0, 8, _SIZE)]
    return np.concatenate(parts).astype(np.float32)


def gradients() -> Any:
    """Returns the GraphDef."""
    with tf.Graph().as_default() as graph:
        given = tf.compat.v1.placeholder(tf.float32, [2 * _SIZE], name=frozen.INPUT)
        tf.concat(list(_gradients(given)), 0, name=frozen.OUTPUT)
    found = graph.as_graph_def()
    for node in found.node:
        if node.name.startswith(_PREFIX) and node.op == "Tile":
            node.op = "TileGrad"
    found.versions.producer = _OLD_PRODUCER
    return found
