"""Random products, convolutions, poolings and normalizations.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from e2e.random_cases.drawn_op import INTEGERS, SPECIAL, DrawnOp, rounding, taken, typed

_size = st.integers(1, 40)
_small = st.integers(1, 9)
_flag = st.booleans()


@dataclass(frozen=True)
class _ProductOp:
    """A kernel for products: the op, and the types of its operands and its output."""

    name: str
    left: Any
    right: Any
    output: Any

    def __call__(self, x: Any, y: Any, a: bool, b: bool) -> Any:
        """Returns the product of `x` and `y`, transposed if `a` and `b`."""
        op = getattr(tf.raw_ops, self.name)
        if self.name == "MatMul":
            return op(a=x, b=y, transpose_a=a, transpose_b=b)
        types = {"Tout": self.output} if self.name == "BatchMatMulV3" else {}
        return op(x=x, y=y, adj_x=a, adj_y=b, **types)


_MATRICES = (tf.float32, tf.float64, tf.half, tf.bfloat16, tf.int32, tf.int64)
_BYTES = (tf.int8, tf.uint8)
# TensorFlow's source for complex numbers is not an override: its contractions take a minute to compile.
_PRODUCTS = (
    *(_ProductOp("MatMul", each, each, each) for each in _MATRICES),
    *(_ProductOp("BatchMatMul", each, each, each) for each in _MATRICES),
    *(_ProductOp("BatchMatMulV2", each, each, each) for each in (*_MATRICES, tf.int16)),
    *(_ProductOp("BatchMatMulV3", left, right, tf.int32) for left in _BYTES for right in _BYTES),
    *(
        _ProductOp("BatchMatMulV3", left, right, tf.bfloat16)
        for byte in _BYTES
        for left, right in ((tf.bfloat16, byte), (byte, tf.bfloat16))
    ),
)
_OF_FLOATS = tuple(op for op in _PRODUCTS if op.output == tf.float32)
# Batch dimensions of the left and the right operand, by op.
_EQUAL = ((), ()), ((2,), (2,))
_BROADCAST = (*_EQUAL, ((), (3,)), ((3, 1), (2,)))
_BATCHES: Mapping[str, Sequence[Any]] = MappingProxyType(
    {
        "MatMul": (_EQUAL[0],),
        "BatchMatMul": _EQUAL,
        "BatchMatMulV2": _BROADCAST,
        "BatchMatMulV3": _BROADCAST,
    }
)


@st.composite
def _product(draw: st.DrawFn) -> DrawnOp:
    op = draw(st.sampled_from(_PRODUCTS if draw(_flag) else _OF_FLOATS))
    m, n = draw(st.integers(1, 70)), draw(st.integers(1, 70))
    a, b = draw(_flag), draw(_flag)
    # A bfloat16 has no integers between 256 and 258.
    k = draw(st.integers(1, 28 if op.output == tf.bfloat16 else 70))
    batches = draw(st.sampled_from(_BATCHES[op.name]))
    left, right = [k, m] if a else [m, k], [n, k] if b else [k, n]
    has_special = op.left.is_floating and op.right.is_floating
    numbers = draw(st.sampled_from((INTEGERS, SPECIAL) if has_special else (INTEGERS,)))

    def outputs(flat: Any) -> Sequence[Any]:
        x = taken(flat, [*batches[0], *left], 0, op.left)
        return [op(x, taken(flat, [*batches[1], *right], 7, op.right), a, b)]

    types = f"{op.left.name} {op.right.name} {op.output.name}"
    text = f"{op.name} {types} {batches} {m}x{n}x{k}, transposed {a} {b}"
    return DrawnOp(text, outputs, numbers)


@dataclass(frozen=True)
class _Windows:
    """How a filter moves over an image: sizes, strides and dilations of rows and columns, and the padding."""

    image: list[int]
    window: list[int]
    strides: list[int]
    dilations: list[int]
    padding: Any


@st.composite
def _windows(draw: st.DrawFn, dilations: Sequence[int] = (1, 1, 2, 3)) -> _Windows:
    """Draws a padding for which the filter fits."""
    window, strides = (
        [draw(st.integers(1, 5)) for _ in "hw"],
        [draw(st.integers(1, 3)) for _ in "hw"],
    )
    apart = [draw(st.sampled_from(dilations)) for _ in "hw"]
    spans = [(size - 1) * step + 1 for size, step in zip(window, apart, strict=True)]
    padding = draw(st.sampled_from(("SAME", "VALID", "EXPLICIT")))
    image = [draw(st.integers(1 if padding == "SAME" else span, 24)) for span in spans]
    if padding == "EXPLICIT":
        sides = [[draw(st.integers(0, 3)), draw(st.integers(0, 3))] for _ in "hw"]
        padding = [[0, 0], *sides, [0, 0]]
    return _Windows(image, window, strides, apart, padding)


def _weights(flat: Any, shape: Sequence[int], dtype: Any, fed: bool) -> Any:
    """Returns a constant of small integers, or numbers of the input."""
    if fed:
        return taken(flat, shape, 5000, dtype)
    return tf.constant(np.arange(11, 11 + np.prod(shape)) % 7 - 3, dtype, shape)


@st.composite
def _fed_weights(draw: st.DrawFn, padding: Any) -> bool:
    """Draws whether weights may be special numbers.

    With padding they may not: whether TensorFlow multiplies them by the zeros around an image, which makes NaN of Inf, depends on
    the algorithm that it chooses.
    """
    return padding == "VALID" and draw(_flag)


# TensorFlow's sources compute half and double. Those for bfloat16 and int32 would take another 50 seconds to compile.
_CONVOLUTIONS = (tf.float32, tf.half, tf.float64)


@st.composite
def _convolution(draw: st.DrawFn) -> DrawnOp:
    (dtype, numbers), windows = draw(typed(_CONVOLUTIONS)), draw(_windows())
    batch, groups, each = draw(st.integers(1, 3)), draw(st.sampled_from((1, 1, 2, 3))), draw(_small)
    outputs_each = draw(st.integers(1, 20))
    fed = [batch, *windows.image, groups * each]
    kernel = [*windows.window, each, groups * outputs_each]
    feeds_weights = draw(_fed_weights(windows.padding))

    def outputs(flat: Any) -> Sequence[Any]:
        weights = _weights(flat, kernel, dtype, feeds_weights)
        steps = {"strides": windows.strides, "dilations": windows.dilations}
        return [tf.nn.conv2d(taken(flat, fed, 0, dtype), weights, padding=windows.padding, **steps)]

    text = f"conv2d {dtype.name} {fed} {kernel} {windows}, weights fed {feeds_weights}"
    return DrawnOp(text, outputs, numbers)


@st.composite
def _depthwise(draw: st.DrawFn) -> DrawnOp:
    # TensorFlow's kernel requires equal strides and no dilation.
    (dtype, numbers), windows = draw(typed(_CONVOLUTIONS)), draw(_windows((1,)))
    stride = windows.strides[0]
    windows = replace(windows, strides=[stride, stride])
    channels, times = draw(_size), draw(st.sampled_from((1, 1, 2, 3)))
    fed = [draw(st.integers(1, 2)), *windows.image, channels]
    kernel = [*windows.window, channels, times]
    feeds_weights = draw(_fed_weights(windows.padding))

    def outputs(flat: Any) -> Sequence[Any]:
        weights = _weights(flat, kernel, dtype, feeds_weights)
        steps = [1, stride, stride, 1]
        x = taken(flat, fed, 0, dtype)
        return [tf.nn.depthwise_conv2d(x, weights, steps, windows.padding)]

    text = f"depthwise {dtype.name} {fed} {kernel} {windows}, weights fed {feeds_weights}"
    return DrawnOp(text, outputs, numbers)


_AVERAGED = (tf.float32, tf.half, tf.bfloat16, tf.float64)
_COMPARED = (
    *_AVERAGED,
    *(tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16),
)
_POOLS: Mapping[str, Sequence[Any]] = MappingProxyType(
    {"MaxPool": _COMPARED, "MaxPoolV2": _COMPARED, "AvgPool": _AVERAGED}
)


def _pooled(name: str, x: Any, window: list[int], strides: list[int], padding: Any) -> Any:
    """Returns the pooled image; a list as padding is explicit."""
    if name == "AvgPool":
        return tf.raw_ops.AvgPool(value=x, ksize=window, strides=strides, padding=padding)
    explicit: dict[str, Any] = {}
    if isinstance(padding, list):
        explicit = {"explicit_paddings": padding}
        padding = "EXPLICIT"
    op = getattr(tf.raw_ops, name)
    return op(input=x, ksize=window, strides=strides, padding=padding, **explicit)


@st.composite
def _pooling(draw: st.DrawFn) -> DrawnOp:
    name = draw(st.sampled_from(tuple(_POOLS)))
    dtype, numbers = draw(typed(_POOLS[name]))
    window, strides = (
        [draw(st.integers(1, 5)) for _ in "hw"],
        [draw(st.integers(1, 4)) for _ in "hw"],
    )
    channels, batch = draw(_size), draw(st.integers(1, 3))
    # Windows of channels, which are next to each other.
    deep = draw(st.integers(2, 4)) if name != "AvgPool" and draw(st.integers(0, 7)) == 0 else 1
    if deep > 1:
        window, strides, channels = [1, 1], [1, 1], channels * deep
    # Only MaxPool has explicit padding, of less than a window.
    paddings = (
        ("SAME", "VALID", "EXPLICIT") if name == "MaxPool" and deep == 1 else ("SAME", "VALID")
    )
    padding: Any = draw(st.sampled_from(paddings))
    least = [1, 1] if padding == "SAME" else window
    if padding == "EXPLICIT":
        sides = [draw(st.integers(0, size - 1)) for size in window for _ in range(2)]
        padding = [0, 0, *sides, 0, 0]
        least = [max(1, window[i] - sum(sides[2 * i : 2 * i + 2])) for i in range(2)]
    fed = [batch, *(draw(st.integers(size, 24)) for size in least), channels]

    def outputs(flat: Any) -> Sequence[Any]:
        x = taken(flat, fed, 0, dtype)
        return [_pooled(name, x, [1, *window, deep], [1, *strides, deep], padding)]

    text = f"{name} {dtype.name} {fed} {[*window, deep]} strides {strides}, {padding}"
    # A denormal number may be equal to 0.
    return DrawnOp(text, outputs, numbers, rounding(dtype))


# The image; the other inputs and outputs are float.
_NORMALIZED = (tf.float32, tf.half, tf.bfloat16)


def _normalized(x: Any, numbers: Sequence[Any], layout: str, training: bool, factor: float) -> Any:
    """Returns the outputs; `numbers` are scale, offset, mean and variance."""
    scale, offset, mean, variance = numbers
    alone = training and factor == 1.0
    made = tf.raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=mean[:0] if alone else mean,
        variance=variance[:0] if alone else 1 + tf.abs(variance),
        epsilon=0.01,
        exponential_avg_factor=factor,
        data_format=layout,
        is_training=training,
    )
    return [made.y, made.batch_mean, made.batch_variance]


@st.composite
def _normalization(draw: st.DrawFn) -> DrawnOp:
    dtype, numbers = draw(typed(_NORMALIZED))
    layout, training = draw(st.sampled_from(("NHWC", "NCHW"))), draw(_flag)
    factor = draw(st.sampled_from((1.0, 0.75)))
    batch, height, width, channels = draw(_small), draw(_small), draw(_small), draw(_size)
    places = [height, width]
    fed = [batch, *places, channels] if layout == "NHWC" else [batch, channels, *places]

    def outputs(flat: Any) -> Sequence[Any]:
        others = [taken(flat, [channels], 50 * i) for i in range(4)]
        return _normalized(taken(flat, fed, 0, dtype), others, layout, training, factor)

    text = f"batch norm {dtype.name} {fed} {layout}, training {training} {factor}"
    # Roots and means differ in their last bits.
    return DrawnOp(text, outputs, numbers, max(1e-4, rounding(dtype)))


KINDS: Mapping[str, st.SearchStrategy[DrawnOp]] = MappingProxyType(
    {
        "products": _product(),
        "convolutions": _convolution(),
        "depthwise": _depthwise(),
        "pooling": _pooling(),
        "normalizations": _normalization(),
    }
)


def outputs(flat: Any) -> Iterator[Any]:
    """Yields outputs of all kernels that KINDS draw, made from the flat input."""
    for op in _PRODUCTS:
        shape = [2, 2] if op.name == "MatMul" else [1, 2, 2]
        yield op(taken(flat, shape, 0, op.left), taken(flat, shape, 7, op.right), False, False)
    for dtype in _CONVOLUTIONS:
        x, weights = taken(flat, [1, 2, 2, 3], 0, dtype), taken(flat, [1, 1, 3, 1], 0, dtype)
        yield tf.nn.conv2d(x, weights, 1, "SAME")
        yield tf.nn.depthwise_conv2d(x, weights, [1, 1, 1, 1], "SAME")
    for name, types in _POOLS.items():
        for dtype in types:
            yield _pooled(name, taken(flat, [1, 2, 2, 3], 0, dtype), [1] * 4, [1] * 4, "SAME")
    for dtype in _NORMALIZED:
        others = [taken(flat, [3])] * 4
        yield from _normalized(taken(flat, [1, 2, 2, 3], 0, dtype), others, "NHWC", False, 1.0)
