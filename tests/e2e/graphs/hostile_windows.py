"""Graphs with windows, strides, dilations and paddings that are larger than any image.

    python -m e2e.graphs.hostile_windows FILE

writes the outputs of those graphs that full TensorFlow runs to FILE, an .npz archive.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from e2e.graphs import without_onednn
from models import frozen

_IMAGE = (2, 3, 4, 5)
IMAGE = (np.arange(np.prod(_IMAGE), dtype=np.float32) % 7 - 3).reshape(_IMAGE)
# An ordinary size, which each library must compute.
ORDINARY = "3"
_LARGEST = 2**31 - 1
# Products of two of them need more than 32 bits, and in bytes more than 64.
_SIZES = {ORDINARY: 3, "2**16": 2**16, "2**20": 2**20, "2**30": 2**30, "2**31-1": _LARGEST}

# Graphs for which full TensorFlow returns what was in memory, or the largest number of a part of the window: its 32-bit sums
# overflow.
UNDEFINED = frozenset({"Conv2D padded strides 2**30", "MaxPool padded 2**31-1"})


def _quantized(op: Any, x: Any, window: list[int]) -> Any:
    """Returns the pooled bytes as floats."""
    made = op(
        input=tf.bitcast(tf.cast(tf.abs(x), tf.uint8), tf.quint8),
        min_input=0.0,
        max_input=1.0,
        ksize=window,
        strides=[1, 2, 2, 1],
        padding="SAME",
    )
    return tf.cast(tf.bitcast(made.output, tf.uint8), tf.float32)


def _poolings(size: int) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yields the ops with a window of this size by name."""
    square, steps = [1, size, size, 1], [1, 2, 1, 1]
    same = {"strides": steps, "padding": "SAME"}
    most = [0, 0, size - 1, size - 1, size - 1, size - 1, 0, 0]
    padded = {"strides": square, "padding": "EXPLICIT", "explicit_paddings": most}
    yield "MaxPool", lambda x: tf.raw_ops.MaxPool(input=x, ksize=square, **same)
    yield "MaxPoolV2", lambda x: tf.raw_ops.MaxPoolV2(input=x, ksize=tf.constant(square), **same)
    yield "MaxPool padded", lambda x: tf.raw_ops.MaxPool(input=x, ksize=square, **padded)
    yield "AvgPool", lambda x: tf.raw_ops.AvgPool(value=x, ksize=square, **same)
    yield "QuantizedMaxPool", lambda x: _quantized(tf.raw_ops.QuantizedMaxPool, x, square)
    yield "QuantizedAvgPool", lambda x: _quantized(tf.raw_ops.QuantizedAvgPool, x, square)


def _filterings(size: int) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """Yields convolutions with strides, dilations or paddings of this size by name."""
    filters = np.arange(3 * 3 * 5 * 2, dtype=np.float32).reshape(3, 3, 5, 2) % 7 - 3
    ones, square = [1] * 4, [1, size, size, 1]
    padded = {"padding": "EXPLICIT", "explicit_paddings": [0, 0, size, size, size, size, 0, 0]}
    same = {"padding": "SAME"}
    kinds = {
        "strides": {"strides": square, **same},
        "dilations": {"strides": ones, "dilations": square, **same},
        "padded strides": {"strides": square, **padded},
        "padded dilations": {"strides": ones, "dilations": square, **padded},
    }
    # With others, the output might fit in the memory that an operating system promises.
    if size < 2**8 or size >= 2**30:
        kinds["padding"] = {"strides": ones, **padded}
    for name, steps in kinds.items():
        yield f"Conv2D {name}", lambda x, of=steps: tf.raw_ops.Conv2D(input=x, filter=filters, **of)
        if "dilations" not in steps:
            yield (
                f"DepthwiseConv2dNative {name}",
                lambda x, of=steps: tf.raw_ops.DepthwiseConv2dNative(input=x, filter=filters, **of),
            )


def _graph(compute: Callable[[Any], Any]) -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, _IMAGE, name=frozen.INPUT)
        tf.identity(compute(fed), name=frozen.OUTPUT)
    return graph.as_graph_def()


# GraphDefs by name, which ends with the size.
GRAPHS: Mapping[str, Any] = {
    f"{name} {text}": _graph(compute)
    for text, size in _SIZES.items()
    for name, compute in (*_poolings(size), *_filterings(size))
}


def expected(folder: Path) -> Mapping[str, Any]:
    """Returns the outputs of those graphs that full TensorFlow runs; it refuses the others."""
    return without_onednn.computed(__name__, folder)


def _outputs() -> Iterator[tuple[str, Any]]:
    for name, graph in GRAPHS.items():
        try:
            (output,) = frozen.run(graph, {frozen.INPUT: IMAGE}, [frozen.OUTPUT])
        except (tf.errors.OpError, ValueError):
            continue
        yield name, output


if __name__ == "__main__":
    np.savez(sys.argv[1], **dict(_outputs()))
