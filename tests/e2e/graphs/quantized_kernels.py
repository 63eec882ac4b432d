"""Graphs of quantized kernels, and what full TensorFlow computes without oneDNN, whose QuantizeV2 rounds differently.

Outputs are int32: bytes, sums, and the bits of floats, so that they must be equal.

    python -m e2e.graphs.quantized_kernels FILE

writes the outputs to FILE, an .npz archive.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from e2e.graphs import without_onednn
from models import frozen

# Bytes that a graph is fed, as floats.
SIZE = 40_000

# Ranges of the operands of a product: from 0, around 0, and without 0.
_RANGES = (
    ((0.0, 6.0), (-1.0, 1.0)),
    ((-3.3, 2.7), (-0.41, 0.73)),
    ((-1.0, 0.0), (0.0, 255.0)),
    ((0.5, 2.0), (-2.0, -1.0)),
    ((-2.0, -1.0), (0.5, 2.0)),
)
# Rows, columns and depth of a product.
_PRODUCTS = (
    (1, 1, 1),
    (1, 5, 7),
    (5, 1, 7),
    (1, 100, 300),
    (100, 1, 300),
    (33, 65, 17),
    (64, 64, 64),
    (9, 7, 2500),
    (130, 33, 70),
)
# The image, then rows, columns and number of filters.
_CONVOLUTIONS = (
    ((1, 1, 1, 1), (1, 1, 1)),
    ((2, 9, 11, 3), (3, 3, 5)),
    ((1, 8, 8, 16), (1, 1, 40)),
    ((1, 10, 10, 4), (5, 2, 33)),
    ((2, 7, 5, 32), (3, 3, 16)),
    ((1, 5, 5, 8), (5, 5, 9)),
    ((1, 2, 3, 70), (3, 3, 8)),
)
_STRIDES = (1, 2, 3, 4)


def _bits(output: Any) -> Any:
    """Returns the bits of a tensor as flat int32."""
    if output.dtype == tf.quint8:
        output = tf.cast(tf.bitcast(output, tf.uint8), tf.int32)
    elif output.dtype != tf.int32:
        output = tf.bitcast(output, tf.int32)
    return tf.reshape(output, [-1])


def _bytes(fed: Any, shape: tuple[int, ...], first: int = 0) -> Any:
    flat = fed[first : first + int(np.prod(shape))]
    return tf.bitcast(tf.reshape(tf.cast(tf.cast(flat, tf.int32), tf.uint8), shape), tf.quint8)


def _sums(fed: Any, shape: tuple[int, ...], factor: int) -> Any:
    """Returns qint32 around 0."""
    flat = tf.cast(fed[: int(np.prod(shape))], tf.int32) - 128
    return tf.bitcast(tf.reshape(flat * flat * flat * factor, shape), tf.qint32)


def _graph(parts: Callable[[Any], Iterator[Any]]) -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [SIZE], name=frozen.INPUT)
        outputs = [_bits(tensor) for part in parts(fed) for tensor in part]
        tf.concat(outputs, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


def _products(fed: Any) -> Iterator[Any]:
    for ((low_a, high_a), (low_b, high_b)), (m, n, k) in itertools.product(_RANGES, _PRODUCTS):
        for a, b in itertools.product((False, True), repeat=2):
            yield tf.raw_ops.QuantizedMatMul(
                a=_bytes(fed, (k, m) if a else (m, k)),
                b=_bytes(fed, (n, k) if b else (k, n), m),
                min_a=low_a,
                max_a=high_a,
                min_b=low_b,
                max_b=high_b,
                transpose_a=a,
                transpose_b=b,
            )


def _convolutions(fed: Any) -> Iterator[Any]:
    for ((low, high), (least, most)), (
        image,
        (rows, columns, count),
    ), padding, stride in itertools.product(_RANGES, _CONVOLUTIONS, ("SAME", "VALID"), _STRIDES):
        if padding == "VALID" and (rows > image[1] or columns > image[2]):
            continue
        yield tf.raw_ops.QuantizedConv2D(
            input=_bytes(fed, image),
            filter=_bytes(fed, (rows, columns, image[3], count), 77),
            min_input=low,
            max_input=high,
            min_filter=least,
            max_filter=most,
            strides=[1, stride, stride, 1],
            padding=padding,
        )


# Ranges of sums, and what they are requantized to: larger, smaller, shifted, empty.
_SUM_RANGES = ((-2147.5, 2147.5), (-1.0, 1.0), (-0.1, 7.0), (0.0, 3e5))
_OUTPUT_RANGES = ((-1.0, 1.0), (0.0, 0.003), (-0.7, 2.3), (0.0, 0.0), (-1e4, 0.0))


def _conversions(fed: Any) -> Iterator[Any]:
    shape = (3, 7, 41)
    for (low, high), factor in itertools.product(_SUM_RANGES, (1, 9, 1001)):
        sums = _sums(fed, shape, factor)
        wide: dict[str, Any] = {"input": sums, "input_min": low, "input_max": high}
        channels = np.arange(-2, shape[-1] - 2, dtype=np.int32)
        yield [tf.raw_ops.RightShift(x=tf.bitcast(sums, tf.int32), y=channels)]
        yield tf.raw_ops.RequantizationRange(**wide)
        yield tf.raw_ops.RequantizationRange(**{**wide, "input": sums[:1, :1, :5]})
        yield tf.raw_ops.RequantizationRange(**{**wide, "input": sums[:0]})
        yield tf.raw_ops.QuantizeDownAndShrinkRange(**wide, out_type=tf.quint8)
        for least, most in _OUTPUT_RANGES:
            yield tf.raw_ops.Requantize(
                **wide,
                requested_output_min=least,
                requested_output_max=most,
                out_type=tf.quint8,
            )
        for op in (tf.raw_ops.QuantizedRelu, tf.raw_ops.QuantizedRelu6):
            yield op(features=sums, min_features=low, max_features=high, out_type=tf.qint32)


# Ranges of bytes, including a single number.
_BYTE_RANGES = ((0.0, 6.0), (-1.0, 1.0), (-3.3, 2.7), (0.5, 2.0), (-2.0, -1.0), (-1e-3, 20.0))


def _bytes_ops(fed: Any) -> Iterator[Any]:
    # The quantized NaN is undefined.
    special = tf.constant([np.inf, -0.0, 1e-40, -np.inf, 1e30, -1e30], tf.float32)
    # TensorFlow's division approximates reciprocals on armv7.
    floats = tf.concat([fed[:20] * (1 / 37), special, (fed - 100) * (1 / 37)], 0)
    for low, high in _BYTE_RANGES:
        for count in (1, 33, 5000):
            tensor = _bytes(fed, (count,), 3)
            ends = {"min_features": low, "max_features": high}
            yield tf.raw_ops.QuantizedRelu(features=tensor, **ends, out_type=tf.quint8)
            yield tf.raw_ops.QuantizedRelu6(features=tensor, **ends, out_type=tf.quint8)
            yield tf.raw_ops.QuantizeV2(
                input=floats[:count], min_range=low, max_range=high, T=tf.quint8, mode="MIN_FIRST"
            )
        for (least, most), shape in itertools.product(_BYTE_RANGES, ((1, 1), (3, 5, 33), (7, 256))):
            yield tf.raw_ops.QuantizedBiasAdd(
                input=_bytes(fed, shape, 5),
                bias=_bytes(fed, shape[-1:], 60),
                min_input=low,
                max_input=high,
                min_bias=least,
                max_bias=most,
                out_type=tf.qint32,
            )


def _dequantized(fed: Any) -> Iterator[Any]:
    for (low, high), count in itertools.product(_BYTE_RANGES, (1, 33, 5000)):
        tensor = _bytes(fed, (count,), 3)
        yield [tf.raw_ops.Dequantize(input=tensor, min_range=low, max_range=high, mode="MIN_FIRST")]


# The shape of an image, the window's rows and columns, and the stride.
_WINDOWS = (
    ((1, 1, 1, 1), (1, 1), 1),
    ((2, 9, 11, 3), (3, 3), 2),
    ((1, 8, 8, 40), (3, 3), 1),
    ((1, 8, 8, 16), (8, 8), 8),
    ((1, 20, 17, 2), (17, 17), 1),
    ((3, 5, 7, 33), (2, 3), 3),
    ((2, 12, 13, 40), (2, 2), 2),
)
# The shapes of tensors that are concatenated, and the dimension.
_CONCATENATED = (
    (((3, 4, 5), (3, 4, 37), (3, 4, 1)), 2),
    (((3, 4, 5), (1, 4, 5)), 0),
    (((70,), (0,), (9,)), 0),
)


# The shapes of tensors that are added: equal, a vector, a number, and single numbers.
_ADDED = (
    ((3, 5, 33), (3, 5, 33)),
    ((3, 5, 33), (33,)),
    ((1000,), (1,)),
    ((), (9, 7)),
    ((1,), (1,)),
    ((0, 3), (0, 3)),
)


def _sums_of_bytes(fed: Any) -> Iterator[Any]:
    for (first, second), (low, high), (least, most) in itertools.product(
        _ADDED, _BYTE_RANGES, _BYTE_RANGES
    ):
        for a, b in ((first, second), (second, first)):
            yield tf.raw_ops.QuantizedAdd(
                x=_bytes(fed, a, 3),
                y=_bytes(fed, b, 800),
                min_x=low,
                max_x=high,
                min_y=least,
                max_y=most,
                Toutput=tf.qint32,
            )


def _images(fed: Any) -> Iterator[Any]:
    for (shape, (rows, columns), stride), padding in itertools.product(_WINDOWS, ("SAME", "VALID")):
        for op in (tf.raw_ops.QuantizedMaxPool, tf.raw_ops.QuantizedAvgPool):
            yield op(
                input=_bytes(fed, shape, 11),
                min_input=-1.5,
                max_input=2.5,
                ksize=[1, rows, columns, 1],
                strides=[1, stride, stride, 1],
                padding=padding,
            )


def _concats(fed: Any) -> Iterator[Any]:
    for (shapes, dimension), first in itertools.product(_CONCATENATED, range(len(_BYTE_RANGES))):
        # Equal and different ranges.
        for step in (0, 1):
            ranges = [
                _BYTE_RANGES[(first + step * i) % len(_BYTE_RANGES)] for i in range(len(shapes))
            ]
            yield tf.raw_ops.QuantizedConcat(
                concat_dim=dimension,
                values=[_bytes(fed, shape, 100 * i) for i, shape in enumerate(shapes)],
                input_mins=[low for low, _ in ranges],
                input_maxes=[high for _, high in ranges],
            )


def graphs() -> dict[str, Any]:
    """Returns a graph for each group of kernels, by its name."""
    return {
        "byte_products": _graph(_products),
        "byte_convolutions": _graph(_convolutions),
        "sums": _graph(_conversions),
        "bytes": _graph(_bytes_ops),
        "dequantized": _graph(_dequantized),
        "byte_images": _graph(_images),
        "byte_concats": _graph(_concats),
        "byte_sums": _graph(_sums_of_bytes),
    }


def fed() -> Any:
    """Returns bytes as floats; many are the minimum and the maximum."""
    drawn = np.random.default_rng(frozen.SEED)
    values = drawn.integers(0, 256, SIZE)
    values[drawn.integers(0, SIZE, SIZE // 3)] = 0
    values[drawn.integers(0, SIZE, SIZE // 3)] = 255
    return values.astype(np.float32)


def expected(folder: Path) -> Mapping[str, Any]:
    """Returns the output of each graph, computed in a process without oneDNN."""
    return without_onednn.computed(__name__, folder)


if __name__ == "__main__":
    computed = {
        name: frozen.run(graph, {frozen.INPUT: fed()}, [frozen.OUTPUT])[0]
        for name, graph in graphs().items()
    }
    np.savez(sys.argv[1], **computed)
