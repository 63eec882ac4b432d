"""Graphs of the kernels of tfcarve's overrides, and of kernels whose templates are instantiated in helper sources.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf

import extent
from e2e.graphs import (
    cast_graphs,
    elementwise_graphs,
    piece_graphs,
    quantized_kernels,
    slice_graphs,
    tile_gradient_graphs,
)
from models import frozen

# Sizes around a multiple of the tile, single elements, empty tensors, and a rank above those that use Eigen.
_CASES = (
    ((33, 47), (1, 0)),
    ((16, 32), (1, 0)),
    ((5,), (0,)),
    ((1, 1, 7), (2, 0, 1)),
    ((3, 17, 18), (0, 2, 1)),
    ((3, 17, 18), (2, 0, 1)),
    ((2, 19, 23, 3), (0, 3, 1, 2)),
    ((2, 3, 19, 23), (0, 2, 3, 1)),
    ((2, 3, 4, 5, 6), (4, 2, 0, 3, 1)),
    ((2, 3, 2, 3, 2, 3, 2), (6, 5, 4, 3, 2, 1, 0)),
    ((2, 3, 1, 2, 2, 3, 2, 2, 3), (8, 1, 3, 2, 0, 5, 7, 6, 4)),
    ((0, 3), (1, 0)),
)
_SIZE = max(int(np.prod(shape)) for shape, _ in _CASES)


def _transposed(flat: Any, shape: tuple[int, ...], perm: tuple[int, ...]) -> list[Any]:
    """Transposes for each element size, and a conjugate transpose."""
    tensor = tf.reshape(flat[: int(np.prod(shape))], shape)
    pair = tf.complex(tensor, -tensor)
    transposed = [
        tf.transpose(tensor, perm),
        tf.cast(tf.transpose(tf.cast(tensor, tf.uint8), perm), tf.float32),
        tf.cast(tf.transpose(tf.cast(tensor, tf.float64), perm), tf.float32),
        tf.math.imag(tf.transpose(pair, perm, conjugate=True)),
    ]
    return [tf.reshape(one, [-1]) for one in transposed]


def _transposes() -> Any:
    with tf.Graph().as_default() as graph:
        flat = tf.compat.v1.placeholder(tf.float32, [_SIZE], name=frozen.INPUT)
        parts = [part for shape, perm in _CASES for part in _transposed(flat, shape, perm)]
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Rows, columns and depth: vectors, whole and partial tiles, small and large.
_PRODUCTS = (
    (1, 1, 1),
    (1, 5, 7),
    (5, 1, 7),
    (1, 200, 300),
    (200, 1, 300),
    (33, 65, 17),
    (64, 64, 64),
    (130, 257, 70),
    (257, 3, 129),
    # Deeper than one block of the product.
    (49, 80, 900),
)
# Batch dimensions of the left and the right operand: broadcast, equal, and both.
_BATCHES = (((), (4,)), ((3,), (3,)), ((3, 1), (2,)))
_MOST = max(m * k + k * n for m, n, k in _PRODUCTS) * 9


def _sides(flat: Any, left: list[int], right: list[int]) -> tuple[Any, Any]:
    size = int(np.prod(left))
    rest = flat[size : size + int(np.prod(right))]
    return tf.reshape(flat[:size], left), tf.reshape(rest, right)


def _products_of(flat: Any) -> Iterator[Any]:
    for (m, n, k), a, b in itertools.product(_PRODUCTS, (False, True), (False, True)):
        left, right = [k, m] if a else [m, k], [n, k] if b else [k, n]
        yield tf.linalg.matmul(*_sides(flat, left, right), transpose_a=a, transpose_b=b)
        for x, y in _BATCHES if m * n * k < 50_000 else ():
            sides = _sides(flat, [*x, *left], [*y, *right])
            yield tf.linalg.matmul(*sides, adjoint_a=a, adjoint_b=b)


def _products() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = [
            tf.reshape(tf.cast(product, tf.float32), [-1])
            for dtype in (tf.float32, tf.float64, tf.int32)
            for product in _products_of(tf.cast(fed, dtype))
        ]
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Images: height, channels, outputs, groups. Filters: height, stride, dilation, padding.
_IMAGES = ((1, 3, 4, 1), (9, 3, 4, 1), (20, 16, 40, 1), (9, 4, 6, 2))
_FILTERS = (
    (1, 1, 1, "VALID"),
    (1, 2, 1, "SAME"),
    (3, 1, 1, "SAME"),
    (3, 1, 1, "VALID"),
    (3, 2, 1, "SAME"),
    (3, 2, 1, "VALID"),
    (2, 1, 2, "SAME"),
    (5, 1, 3, "SAME"),
    (3, 2, 2, [[0, 0], [2, 1], [0, 3], [0, 0]]),
    (9, 1, 1, "VALID"),
)


# A product and a convolution with more multiply-adds than a 32-bit integer can count.
_LARGE_PRODUCT = (1025, 1024, 2048)
_LARGE_IMAGE, _LARGE_FILTER = (1, 64, 64, 128), (3, 3, 128, 456)
# The elements at each end of a large output that are compared.
_ENDS = 5000


def _repeated(fed: Any, shape: tuple[int, ...], start: int = 0) -> Any:
    """Returns a tensor of the input's elements from `start` on, repeated."""
    count = int(np.prod(shape))
    return tf.reshape(tf.gather(fed, tf.range(start, start + count) % _MOST), shape)


def _ends(output: Any) -> Any:
    flat = tf.reshape(tf.cast(output, tf.float32), [-1])
    return tf.concat([flat[:_ENDS], flat[-_ENDS:]], 0, name=frozen.OUTPUT)


def _large_products() -> Any:
    m, n, k = _LARGE_PRODUCT
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        x, y = (tf.cast(_repeated(fed, *of), tf.int32) for of in (((m, k), 0), ((k, n), 7)))
        _ends(tf.linalg.matmul(x, y))
    return graph.as_graph_def()


def _large_convolutions() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        image, kernel = _repeated(fed, _LARGE_IMAGE), _repeated(fed, _LARGE_FILTER, 7)
        _ends(tf.nn.conv2d(image, kernel, 1, "SAME"))
    return graph.as_graph_def()


def _convolutions() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = []
        for (side, channels, outputs, groups), filtered in itertools.product(_IMAGES, _FILTERS):
            size, stride, dilation, padding = filtered
            if padding != "SAME" and (size - 1) * dilation >= side:
                continue
            # Wider than high, so that a mix-up of the two is noticed.
            image, kernel = _sides(
                fed,
                [2, side, side + 3, channels],
                [size, size, channels // groups, outputs],
            )
            output = tf.nn.conv2d(image, kernel, stride, padding, dilations=dilation)
            parts.append(tf.reshape(output, [-1]))
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Images: height, channels, filters per channel. Filters as in _FILTERS, with a dilation of 1.
_DEPTHWISE = (
    *itertools.product(((9, 3, 1), (12, 40, 1), (8, 5, 3)), _FILTERS[:6]),
    ((10, 8, 2), _FILTERS[8]),
)


def _depthwise() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = []
        for (side, channels, times), (size, stride, _, padding) in _DEPTHWISE:
            image, kernel = _sides(
                fed, [2, side, side + 3, channels], [size, size, channels, times]
            )
            strides = [1, stride, stride, 1]
            output = tf.nn.depthwise_conv2d(image, kernel, strides, padding)
            parts.append(tf.reshape(output, [-1]))
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


def _pooled() -> Any:
    """Pooling with whole windows, windows cut off at an edge and windows larger than the image; Relu and Relu6."""
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = [tf.nn.relu(fed[:3000]), tf.nn.relu6(fed[:3001]), tf.nn.relu(fed[:3])]
        for channels, (size, stride, padding) in itertools.product(
            (1, 5, 40),
            ((2, 2, "VALID"), (3, 1, "SAME"), (3, 2, "SAME"), (3, 2, "VALID"), (9, 5, "SAME")),
        ):
            image = tf.reshape(fed[: 2 * 9 * 12 * channels], [2, 9, 12, channels])
            parts.append(tf.nn.max_pool2d(image, size, stride, padding))
            parts.append(tf.nn.avg_pool2d(image, size, stride, padding))
        tf.concat([tf.reshape(part, [-1]) for part in parts], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


_ACTIVATIONS = ([], ["Relu"], ["Relu6"], ["Elu"], ["LeakyRelu"])


def fused_op(op: str, inputs: list[Any], fused: list[str], attributes: Any) -> Any:
    """Returns the output of a fused op with these functions of the product, an epsilon of 0.01 and an alpha of 0.25."""
    attrs: dict[str, Any] = {
        "fused_ops": tf.compat.v1.AttrValue(
            list=tf.compat.v1.AttrValue.ListValue(s=[name.encode() for name in fused])
        ),
        "num_args": tf.compat.v1.AttrValue(i=len(inputs) - 2),
        "epsilon": tf.compat.v1.AttrValue(f=0.01),
        "leakyrelu_alpha": tf.compat.v1.AttrValue(f=0.25),
        "T": tf.compat.v1.AttrValue(type=tf.float32.as_datatype_enum),
        **attributes,
    }
    if op == "_FusedConv2D":
        floats = [tf.float32.as_datatype_enum] * (len(inputs) - 2)
        attrs["num_host_args"] = tf.compat.v1.AttrValue(i=0)
        attrs["TArgs"] = tf.compat.v1.AttrValue(list=tf.compat.v1.AttrValue.ListValue(type=floats))
    graph = inputs[0].graph
    return graph.create_op(op, inputs, [tf.float32], name="fused", attrs=attrs).outputs[0]


def _fused(activations: Sequence[list[str]] = _ACTIVATIONS) -> Any:
    """The fused ops that TensorFlow's remapper creates: a product, a bias or normalization, an activation."""
    listed = tf.compat.v1.AttrValue.ListValue
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = []
        for activation, channels, (size, stride, _, padding) in itertools.product(
            activations, (5, 100), _FILTERS[:4]
        ):
            image, kernel = _sides(fed, [2, 9, 12, channels], [size, size, channels, 33])
            offset, mean, scale = (fed[i * 40 : i * 40 + 33] for i in (1, 2, 3))
            attributes = {
                "strides": tf.compat.v1.AttrValue(list=listed(i=[1, stride, stride, 1])),
                "padding": tf.compat.v1.AttrValue(s=padding.encode()),
            }
            fill = [image, kernel, offset]
            parts.append(fused_op("_FusedConv2D", fill, ["BiasAdd", *activation], attributes))
            variance = tf.ones([33]) * 0.99
            fill = [image, kernel, scale, offset, mean, variance]
            parts.append(
                fused_op("_FusedConv2D", fill, ["FusedBatchNorm", *activation], attributes)
            )
        # Depthwise: one group for each channel, with one or two outputs.
        for activation, channels, times, (size, stride, dilation, padding) in itertools.product(
            activations, (5, 40), (1, 2), (_FILTERS[2], _FILTERS[5], _FILTERS[6])
        ):
            outputs = channels * times
            image, kernel = _sides(fed, [2, 9, 12, channels], [size, size, 1, outputs])
            attributes = {
                "strides": tf.compat.v1.AttrValue(list=listed(i=[1, stride, stride, 1])),
                "dilations": tf.compat.v1.AttrValue(list=listed(i=[1, dilation, dilation, 1])),
                "padding": tf.compat.v1.AttrValue(s=padding.encode()),
            }
            offset, mean, scale = (fed[i * 90 : i * 90 + outputs] for i in (1, 2, 3))
            fill = [image, kernel, offset]
            parts.append(fused_op("_FusedConv2D", fill, ["BiasAdd", *activation], attributes))
            fill = [image, kernel, scale, offset, mean, tf.ones([outputs]) * 0.99]
            parts.append(
                fused_op("_FusedConv2D", fill, ["FusedBatchNorm", *activation], attributes)
            )
        for activation, a, b in itertools.product(activations, (False, True), (False, True)):
            left, right = _sides(fed, [17, 30] if a else [30, 17], [33, 17] if b else [17, 33])
            attributes = {
                "transpose_a": tf.compat.v1.AttrValue(b=a),
                "transpose_b": tf.compat.v1.AttrValue(b=b),
            }
            fill = [left, right, fed[40:73]]
            parts.append(fused_op("_FusedMatMul", fill, ["BiasAdd", *activation], attributes))
        tf.concat([tf.reshape(part, [-1]) for part in parts], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


def _einsums() -> Any:
    """The products of attention layers."""
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = []
        for equation, left, right in (
            ("abc,cde->abde", [2, 9, 12], [12, 3, 5]),
            ("aecd,abcd->acbe", [2, 7, 3, 5], [2, 9, 3, 5]),
            ("acbe,aecd->abcd", [2, 3, 9, 7], [2, 7, 3, 5]),
            ("abcd,cde->abe", [2, 9, 3, 5], [3, 5, 12]),
        ):
            parts.append(tf.einsum(equation, *_sides(fed, left, right)))
        tf.concat([*(tf.reshape(p, [-1]) for p in parts), fed[:2000]], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# The channels are the last or the second dimension.
_BIASED = (
    ("NHWC", ((5, 7), (3, 4, 6), (2, 9, 11, 5), (2, 3, 4, 5, 6), (40, 50, 3), (1, 1))),
    ("NCHW", ((3, 5, 7), (3, 4, 6), (2, 9, 11, 5), (2, 3, 4, 5, 6), (4, 1, 500), (1, 6, 1, 1))),
)


def _biases() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = []
        for (layout, shapes), dtype in itertools.product(
            _BIASED, (tf.float32, tf.float64, tf.int32, tf.half)
        ):
            flat = tf.cast(fed, dtype)
            for shape in shapes:
                channels = shape[1 if layout == "NCHW" else -1]
                sides = _sides(flat, list(shape), [channels])
                output = tf.cast(tf.nn.bias_add(*sides, layout), tf.float32)
                parts.append(tf.reshape(output, [-1]))
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Batch, height, width and channels: large and small, a single pixel, an empty batch.
_NORMALIZED = ((2, 5, 7, 3), (3, 4, 6, 18), (1, 40, 30, 5), (1, 1, 1, 4), (0, 2, 2, 3))
# Training or inference, and the exponential average factor.
_MODES = ((False, 1.0), (True, 1.0), (True, 0.75))


def _normalized(fed: Any, shape: tuple[int, ...], layout: str, mode: tuple[bool, float]) -> Any:
    batch, height, width, channels = shape
    order = [batch, height, width, channels]
    if layout == "NCHW":
        order = [batch, channels, height, width]
    training, factor = mode
    scale, offset, mean, variance = tf.unstack(tf.reshape(fed[: 4 * channels], [4, channels]))
    alone = training and factor == 1.0
    outputs = tf.raw_ops.FusedBatchNormV3(
        x=tf.reshape(fed[100 : 100 + int(np.prod(shape))], order),
        scale=scale,
        offset=offset,
        mean=mean[:0] if alone else mean,
        variance=variance[:0] if alone else tf.abs(variance),
        epsilon=0.01,
        exponential_avg_factor=factor,
        data_format=layout,
        is_training=training,
    )
    reserved = [outputs.reserve_space_1, outputs.reserve_space_2] if training else []
    return [outputs.y, outputs.batch_mean, outputs.batch_variance, *(reserved if batch else [])]


def _normalizations() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = [
            tf.reshape(part, [-1])
            for shape, layout, mode in itertools.product(_NORMALIZED, ("NHWC", "NCHW"), _MODES)
            for part in _normalized(fed, shape, layout, mode)
        ]
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Rows, and logits in each: more and fewer than a vector's elements, and a single one.
_LOGITS = ((1, 1), (7, 3), (5, 16), (3, 37), (4, 400))


def _functions() -> Any:
    """Elementwise functions, also at the limits of their domains, and softmax.

    Nothing is divided: TensorFlow's division approximates reciprocals on armv7.
    """
    extremes = [0.0, -0.0, 1e-30, -1e-4, 88.5, 100.0, -87.0, -200.0, np.inf, -np.inf, np.nan]
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        numbers = tf.concat([fed[:3001], tf.constant(extremes, tf.float32)], 0)
        parts = [
            function(shaped)
            for function in (tf.exp, tf.sigmoid, tf.tanh, tf.math.erf)
            for shaped in (numbers, numbers * 2**-6, numbers[:5], tf.cast(numbers, tf.float64))
        ]
        for rows, size in _LOGITS:
            logits = tf.reshape(fed[: rows * size], [rows, size])
            parts += [tf.nn.softmax(logits), tf.nn.log_softmax(logits)]
        flat = [tf.reshape(tf.cast(part, tf.float32), [-1]) for part in parts]
        tf.concat(flat, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# The shapes of two operands: equal, a scalar and a tensor, a row or a column and a matrix, both sides broadcast, up to
# five dimensions, and empty.
_PAIRS = (
    ((3001,), (3001,)),
    ((), (37,)),
    ((1, 1), (5, 7)),
    ((33, 40), (40,)),
    ((33, 1), (33, 40)),
    ((33, 1), (1, 40)),
    ((1, 19), (300, 1)),
    ((4, 1, 6), (4, 5, 6)),
    ((2, 3, 1, 5), (1, 3, 4, 1)),
    ((2, 1, 3, 1, 17), (1, 4, 3, 5, 1)),
    ((0, 3), (1, 3)),
    ((3, 3), (3,)),
)


def _pairs() -> Any:
    functions = (tf.add, tf.raw_ops.Add, tf.subtract, tf.multiply, tf.math.squared_difference)
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = []
        for (first, second), function, dtype in itertools.product(
            _PAIRS, functions, (tf.float32, tf.int32)
        ):
            flat = tf.cast(fed, dtype)
            x = tf.reshape(flat[: int(np.prod(first))], first)
            y = tf.reshape(flat[50 : 50 + int(np.prod(second))], second)
            for a, b in ((x, y), (y, x)):
                output = function(x=a, y=b)
                parts.append(tf.reshape(tf.cast(output, tf.float32), [-1]))
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Steps, steps that run, batch, inputs and cells: one of each, more than a vector's elements, none.
_LSTMS = (
    (1, 1, 1, 1, 1),
    (5, 5, 1, 7, 33),
    (6, 4, 3, 16, 20),
    (3, 0, 2, 4, 4),
    (40, 40, 2, 5, 600),
)


def _lstm(fed: Any, sizes: tuple[int, ...], version: int, peephole: bool, clip: float) -> list[Any]:
    steps, run, batch, inputs, cells = sizes
    shapes: dict[str, tuple[int, ...]] = {
        "x": (steps, batch, inputs),
        "cs_prev": (batch, cells),
        "h_prev": (batch, cells),
        "w": (inputs + cells, 4 * cells),
        "wci": (cells,),
        "wcf": (cells,),
        "wco": (cells,),
        "b": (4 * cells,),
    }
    filled = {}
    for i, (key, shape) in enumerate(shapes.items()):
        # A large LSTM has more weights than the input has elements. Not divided: see _functions.
        filled[key] = _repeated(fed, shape, 100 * i) * (1 / (10 + cells))
    op = tf.raw_ops.BlockLSTMV2 if version == 2 else tf.raw_ops.BlockLSTM
    length = tf.constant(run, tf.int64)
    outputs = op(seq_len_max=length, use_peephole=peephole, cell_clip=clip, **filled)
    # In the steps that do not run, only these two outputs are defined.
    return [part if key in ("h", "cs") else part[:run] for key, part in outputs._asdict().items()]


def _lstms(lstms: Sequence[tuple[int, ...]] = _LSTMS) -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = [
            tf.reshape(part, [-1])
            for sizes in lstms
            for version, peephole, clip in ((1, True, 0.1), (2, False, 0.0), (2, True, 0.0))
            for part in _lstm(fed, sizes, version, peephole, clip)
        ]
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Padding of outer and inner dimensions, on all sides, on none, and of an empty tensor.
_PADDED = (
    ((5,), ((2, 1),)),
    ((4, 6), ((0, 0), (1, 0))),
    ((4, 6), ((1, 2), (0, 0))),
    ((2, 5, 7, 3), ((0, 0), (1, 2), (0, 3), (0, 0))),
    ((2, 5, 7, 3), ((1, 0), (0, 0), (2, 2), (0, 1))),
    ((2, 3, 2, 3, 2), ((0, 0), (1, 1), (0, 0), (0, 0), (2, 0))),
    ((2, 1, 2, 2, 1, 3), ((1, 1), (0, 1), (1, 0), (2, 2), (0, 1), (1, 1))),
    ((0, 3), ((2, 2), (1, 1))),
)


def _pads() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = []
        for (shape, pads), dtype in itertools.product(_PADDED, (tf.float32, tf.int32, tf.string)):
            flat = fed[: int(np.prod(shape))]
            if dtype == tf.string:
                text = tf.strings.as_string(tf.cast(flat, tf.int32))
                padded = tf.pad(tf.reshape(text, shape), pads, constant_values="7")
                padded = tf.strings.to_number(padded)
            else:
                tensor = tf.reshape(tf.cast(flat, dtype), shape)
                padded = tf.cast(tf.pad(tensor, pads, constant_values=3), tf.float32)
            parts += [tf.reshape(padded, [-1]), tf.reshape(tf.pad(flat, [[1, 0]]), [-1])]
        tf.concat([*parts, fed[:2000]], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Shapes of indexed tensors: the functors of each rank are instantiated in another helper source.
_DEPTHS = ((64,), (8, 8), (4, 4, 4), (2, 4, 2, 4))


def _instantiated(flat: Any, shape: tuple[int, ...]) -> list[Any]:
    tensor = tf.reshape(flat[:64], shape)
    rank = len(shape)
    places = tf.constant([[0] * rank, [1] * rank])
    some = tf.slice(tensor, [1] * rank, [n - 1 for n in shape])
    pads = tf.constant([[1, 0]] * rank)
    return [
        some,
        tf.gather_nd(tensor, places),
        tf.tile(tensor, [2] * rank),
        tf.scatter_nd(places, flat[:2], shape),
        tf.tensor_scatter_nd_add(tensor, places, flat[:2]),
        tf.pad(tensor, pads, "REFLECT"),
        tf.pad(tf.cast(tensor, tf.int32), pads, "SYMMETRIC"),
    ]


def _instantiations() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        parts = [
            tf.reshape(tf.cast(part, tf.float32), [-1])
            for shape in _DEPTHS
            for part in _instantiated(fed[len(shape) :], shape)
        ]
        tf.concat([*parts, fed[:2000]], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


def _matches() -> Any:
    """RE2 patterns, as an attribute or an input, applied to numbers as strings."""
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        text = tf.strings.as_string(tf.cast(1000 * fed, tf.int32))
        matches = [
            tf.raw_ops.StaticRegexFullMatch(input=text, pattern="-?[1-4]+"),
            tf.raw_ops.RegexFullMatch(input=text, pattern=tf.constant("[^-].*")),
        ]
        left = tf.strings.to_number(tf.strings.regex_replace(text, "-([0-9])", r"\1"))
        tf.concat([*(tf.cast(f, tf.float32) for f in matches), left], 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


def _restored() -> Any:
    """A checkpoint that the model writes to the current folder and reads."""
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        checkpoint = {
            "prefix": tf.constant("checkpoint"),
            "tensor_names": tf.constant(["weights"]),
            "shape_and_slices": tf.constant([""]),
        }
        saved = tf.raw_ops.SaveV2(**checkpoint, tensors=[fed])
        with tf.control_dependencies([saved]):
            (read,) = tf.raw_ops.RestoreV2(**checkpoint, dtypes=[tf.float32])
        tf.identity(read, name=frozen.OUTPUT)
    return graph.as_graph_def()


# Window size and stride in samples. The transform's size is the next power of two.
_WINDOWS = ((2, 1), (5, 3), (256, 128), (400, 160), (1024, 1000))


def _spectrograms() -> Any:
    """Spectrograms of two channels, and the MFCCs of one of them."""
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [_MOST], name=frozen.INPUT)
        samples = tf.reshape(fed[:8000], [4000, 2])
        spectra = [
            tf.raw_ops.AudioSpectrogram(
                input=samples, window_size=size, stride=stride, magnitude_squared=squared
            )
            for (size, stride), squared in itertools.product(_WINDOWS, (False, True))
        ]
        heard = tf.raw_ops.Mfcc(spectrogram=spectra[5], sample_rate=tf.constant(16000))
        parts = [tf.reshape(part, [-1]) for part in (*spectra, heard)]
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()


@dataclass(frozen=True)
class Case:
    """A graph, its input, full TensorFlow's output, the tolerance, and whether TensorFlow defines the sign of zeros."""

    graph: Any
    fed: Any
    expected: Any
    tolerance: float
    signed_zeros: bool


# The cases whose loops are compiled for several instruction sets, and the others.
WITH_PATHS = (
    "products",
    "convolutions",
    "large_convolutions",
    "depthwise",
    "pooled",
    "fused",
    "special_fused",
    "functions",
    "pairs",
    "lstms",
    "special_lstms",
    "einsums",
    "special_einsums",
    "normalizations",
    "byte_products",
    "byte_convolutions",
    "sums",
)
OTHERS = (
    "large_products",
    "transposes",
    "slices",
    "pieces",
    "scatters",
    "tile_gradients",
    "casts",
    "elementwise",
    "biases",
    "pads",
    "instantiations",
    "matches",
    "restored",
    "spectrograms",
    "special_spectrograms",
    "bytes",
    "dequantized",
    "byte_images",
    "byte_concats",
    "byte_sums",
)
# Those of a quick run: their kernels compile quickly, or other models of the same library need them.
QUICK = (
    "casts",
    "convolutions",
    "depthwise",
    "elementwise",
    "normalizations",
    "pooled",
    "products",
    "slices",
)


def some(names: Sequence[str]) -> list[str]:
    """Returns those of the names that this run has."""
    return extent.some(names, *(name for name in names if name in QUICK))


NAMES = (*WITH_PATHS, *OTHERS)


_FLOAT_GRAPHS: Mapping[str, Callable[[], Any]] = MappingProxyType(
    {
        "transposes": _transposes,
        "slices": slice_graphs.slices,
        "pieces": piece_graphs.pieces,
        "scatters": piece_graphs.scatters,
        "casts": cast_graphs.casts,
        "elementwise": elementwise_graphs.elementwise,
        "tile_gradients": tile_gradient_graphs.gradients,
        "products": _products,
        "large_products": _large_products,
        "convolutions": _convolutions,
        "large_convolutions": _large_convolutions,
        "depthwise": _depthwise,
        "pooled": _pooled,
        "fused": _fused,
        # With oneDNN, TensorFlow's fused Relu and Relu6 of NaN are 0, and without oneDNN NaN.
        "special_fused": partial(_fused, ([], ["Elu"], ["LeakyRelu"])),
        "functions": _functions,
        "pairs": _pairs,
        "lstms": _lstms,
        "special_lstms": partial(_lstms, _LSTMS[1:3]),
        "pads": _pads,
        "einsums": _einsums,
        "special_einsums": _einsums,
        "biases": _biases,
        "normalizations": _normalizations,
        "instantiations": _instantiations,
        "matches": _matches,
        "restored": _restored,
        "spectrograms": _spectrograms,
        "special_spectrograms": _spectrograms,
    }
)
# Sums of small integers are exact in floats, in any order.
_WITH_EXACT_SUMS = frozenset(
    {
        *("products", "large_products", "convolutions", "large_convolutions", "depthwise"),
        *("fused", "special_fused", "einsums", "special_einsums"),
    }
)
# Numbers are moved, or two are combined. The sign of a sum that is zero depends on whether the sum starts with zero.
_WITH_SIGNED_ZEROS = frozenset({"transposes", "casts", "pairs", "biases", "pads", "restored"})
# Special numbers of a case by the place in its input.
_SPECIAL: Mapping[str, Mapping[int, float]] = MappingProxyType(
    {
        # In images and left operands. In weights they are undefined: whether TensorFlow multiplies weights by the zeros around an
        # image, which makes NaN of Inf, depends on the algorithm that it chooses.
        "special_fused": {165: np.inf, 410: np.nan, 450: -np.inf, 500: -0.0, 505: 1e-40},
        # In the inputs of steps. NaN is undefined, because TensorFlow limits a cell's state with vector instructions that may drop
        # it, and so are Inf and -Inf in the same step, whose sum is NaN.
        "special_lstms": {3: np.inf, 20: -0.0, 40: 1e-40, 60: -np.inf},
        "special_einsums": {5: np.inf, 90: -np.inf, 333: np.nan, 500: -0.0, 700: 1e-40},
        # Inf is undefined: which elements of the transform become NaN depends on the algorithm.
        "special_spectrograms": {2000: np.nan},
    }
)
# The other tolerances are 0.
_TOLERANCES = MappingProxyType(
    {
        "pooled": 1e-6,
        # Exponential functions and roots differ in their last bits.
        "fused": 1e-4,
        "special_fused": 1e-4,
        "functions": 1e-6,
        "lstms": 2e-6,
        "special_lstms": 2e-6,
        # Means are sums of arbitrary floats, whose order differs.
        "normalizations": 5e-6,
        "spectrograms": 1e-5,
        "special_spectrograms": 1e-5,
    }
)


def graphs(names: Sequence[str] = NAMES) -> dict[str, Any]:
    """Returns the GraphDefs of cases by name."""
    floats = {name: make() for name, make in _FLOAT_GRAPHS.items() if name in names}
    quantized = quantized_kernels.graphs() if set(names) - set(_FLOAT_GRAPHS) else {}
    return {**floats, **quantized}


def cases(folder: Path) -> dict[str, Case]:
    """Returns the cases of this run by name; some write files to `folder`."""
    with contextlib.chdir(folder):
        floats = _float_cases(some(tuple(_FLOAT_GRAPHS)))
        return {**floats, **_quantized_cases(folder)} if extent.IS_FULL else floats


def _float_cases(names: Sequence[str]) -> dict[str, Case]:
    drawn = np.random.default_rng(frozen.SEED)
    small = drawn.integers(-8, 9, _MOST).astype(np.float32)
    any_floats = drawn.uniform(-9, 9, _MOST).astype(np.float32)
    fed = {name: small if name in _WITH_EXACT_SUMS else any_floats for name in _FLOAT_GRAPHS}
    fed["transposes"] = drawn.uniform(0, 255, _SIZE).astype(np.float32)
    fed["elementwise"] = drawn.integers(-8, 9, elementwise_graphs.SIZE).astype(np.float32)
    fed["casts"] = cast_graphs.fed(drawn)
    fed["slices"] = drawn.integers(0, 256, slice_graphs.SIZE, np.uint8)
    fed["pieces"] = fed["scatters"] = fed["slices"]
    fed["tile_gradients"] = tile_gradient_graphs.fed(drawn)
    found = {}
    for name in names:
        graph, numbers = _FLOAT_GRAPHS[name](), fed[name].copy()
        signed_zeros = name in _WITH_SIGNED_ZEROS
        if signed_zeros:
            numbers[::50] = -0.0
        for place, number in _SPECIAL.get(name, {}).items():
            numbers[place] = number
        (expected,) = frozen.run(graph, {frozen.INPUT: numbers}, [frozen.OUTPUT])
        found[name] = Case(graph, numbers, expected, _TOLERANCES.get(name, 0.0), signed_zeros)
    return found


def _quantized_cases(folder: Path) -> dict[str, Case]:
    expected, fed = quantized_kernels.expected(folder), quantized_kernels.fed()
    return {
        name: Case(graph, fed, expected[name], 0.0, signed_zeros=False)
        for name, graph in quantized_kernels.graphs().items()
    }
