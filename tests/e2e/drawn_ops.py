"""Random ops for property tests of the overrides: their shapes, strides, padding, layouts, groups and types.

An op reads numbers from a flat input and casts its output to float32. Import tfcarve.full_tensorflow's SETTINGS into the
environment first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from models import frozen

# The elements of the input.
SIZE = 1 << 15
# Types whose products of small integers are exact sums.
_PRODUCT_TYPES = (tf.float32, tf.float64, tf.half, tf.bfloat16, tf.int32, tf.int64)
_BIAS_TYPES = (tf.float32, tf.float64, tf.half, tf.int32)
_PAIR_TYPES = (tf.float32, tf.int32)
_PAD_TYPES = (tf.float32, tf.int32)


@dataclass(frozen=True)
class DrawnOp:
    """An op.

    Attributes:
      text: what it is, for the report of a failure.
      outputs: makes its outputs from the flat input.
    """

    text: str
    outputs: Callable[[Any], Sequence[Any]]

    def __repr__(self) -> str:
        return self.text

    def graph(self) -> Any:
        """Returns the GraphDef with the input and the concatenated outputs."""
        with tf.Graph().as_default() as graph:
            flat = tf.compat.v1.placeholder(tf.float32, [SIZE], name=frozen.INPUT)
            parts = [tf.reshape(tf.cast(part, tf.float32), [-1]) for part in self.outputs(flat)]
            tf.concat([*parts, flat[:1]], 0, name=frozen.OUTPUT)
        return graph.as_graph_def()


def _taken(flat: Any, shape: Sequence[int], start: int = 0) -> Any:
    """Returns a tensor of elements from `start` on; the input is repeated."""
    count = int(np.prod(shape))
    return tf.reshape(tf.gather(flat, np.arange(start, start + count) % SIZE), shape)


def _weights(shape: Sequence[int]) -> Any:
    """Returns a constant of small integers: with weights that are not finite, TensorFlow's own results differ at the edges."""
    return tf.constant(np.arange(11, 11 + np.prod(shape)) % 7 - 3, tf.float32, shape)


_size = st.integers(1, 40)
_small = st.integers(1, 9)
_flag = st.booleans()


@st.composite
def _product(draw: st.DrawFn) -> DrawnOp:
    m, n = draw(st.integers(1, 70)), draw(st.integers(1, 70))
    a, b = draw(_flag), draw(_flag)
    dtype = draw(st.sampled_from(_PRODUCT_TYPES))
    # A bfloat16 has no integers between 256 and 258.
    k = draw(st.integers(1, 28 if dtype == tf.bfloat16 else 70))
    batches = draw(st.sampled_from((((), ()), ((2,), (2,)), ((), (3,)), ((3, 1), (2,)))))
    left, right = [k, m] if a else [m, k], [n, k] if b else [k, n]

    def outputs(flat: Any) -> Sequence[Any]:
        x = tf.cast(_taken(flat, [*batches[0], *left]), dtype)
        y = tf.cast(_taken(flat, [*batches[1], *right], 7), dtype)
        return [tf.linalg.matmul(x, y, transpose_a=a, transpose_b=b)]

    return DrawnOp(f"matmul {dtype.name} {batches} {m}x{n}x{k}, transposed {a} {b}", outputs)


@st.composite
def _windows(draw: st.DrawFn, max_dilation: int = 3) -> tuple[list[int], list[int], int, int, Any]:
    """Height and width of an image and a filter, stride, dilation, and a padding for which the filter fits."""
    window = [draw(st.integers(1, 5)), draw(st.integers(1, 5))]
    stride = draw(st.integers(1, 3))
    dilation = draw(st.integers(1, max_dilation)) if stride == 1 else 1
    spans = [(size - 1) * dilation + 1 for size in window]
    padding = draw(st.sampled_from(("SAME", "VALID", "EXPLICIT")))
    image = [draw(st.integers(1 if padding == "SAME" else span, 24)) for span in spans]
    if padding == "EXPLICIT":
        sides = [[draw(st.integers(0, 3)), draw(st.integers(0, 3))] for _ in range(2)]
        return image, window, stride, dilation, [[0, 0], *sides, [0, 0]]
    return image, window, stride, dilation, padding


@st.composite
def _convolution(draw: st.DrawFn) -> DrawnOp:
    image, window, stride, dilation, padding = draw(_windows())
    batch, groups, each = draw(st.integers(1, 3)), draw(st.sampled_from((1, 1, 2, 3))), draw(_small)
    outputs_each = draw(st.integers(1, 20))
    fed = [batch, *image, groups * each]
    kernel = [*window, each, groups * outputs_each]

    def outputs(flat: Any) -> Sequence[Any]:
        x = _taken(flat, fed)
        return [tf.nn.conv2d(x, _weights(kernel), stride, padding, dilations=dilation)]

    return DrawnOp(f"conv2d {fed} {kernel} stride {stride} by {dilation}, {padding}", outputs)


@st.composite
def _depthwise(draw: st.DrawFn) -> DrawnOp:
    image, window, stride, _, padding = draw(_windows(max_dilation=1))
    channels, times = draw(_size), draw(st.sampled_from((1, 1, 2, 3)))
    fed = [draw(st.integers(1, 2)), *image, channels]
    kernel = [*window, channels, times]

    def outputs(flat: Any) -> Sequence[Any]:
        x = _taken(flat, fed)
        return [tf.nn.depthwise_conv2d(x, _weights(kernel), [1, stride, stride, 1], padding)]

    return DrawnOp(f"depthwise {fed} {kernel} stride {stride}, {padding}", outputs)


@st.composite
def _pooling(draw: st.DrawFn) -> DrawnOp:
    window = [draw(st.integers(1, 5)), draw(st.integers(1, 5))]
    strides = [draw(st.integers(1, 4)), draw(st.integers(1, 4))]
    padding = draw(st.sampled_from(("SAME", "VALID")))
    image = [draw(st.integers(1 if padding == "SAME" else size, 24)) for size in window]
    fed = [draw(st.integers(1, 3)), *image, draw(_size)]
    pool, name = draw(
        st.sampled_from(((tf.nn.max_pool2d, "max_pool"), (tf.nn.avg_pool2d, "avg_pool")))
    )

    def outputs(flat: Any) -> Sequence[Any]:
        return [pool(_taken(flat, fed), window, strides, padding)]

    return DrawnOp(f"{name} {fed} {window} stride {strides}, {padding}", outputs)


@st.composite
def _normalization(draw: st.DrawFn) -> DrawnOp:
    layout, training = draw(st.sampled_from(("NHWC", "NCHW"))), draw(_flag)
    factor = draw(st.sampled_from((1.0, 0.75)))
    batch, height, width, channels = draw(_small), draw(_small), draw(_small), draw(_size)
    places = [height, width]
    fed = [batch, *places, channels] if layout == "NHWC" else [batch, channels, *places]

    def outputs(flat: Any) -> Sequence[Any]:
        scale, offset, mean, variance = (_taken(flat, [channels], 50 * i) for i in range(4))
        alone = training and factor == 1.0
        made = tf.raw_ops.FusedBatchNormV3(
            x=_taken(flat, fed),
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

    return DrawnOp(f"batch norm {fed} {layout}, training {training} {factor}", outputs)


@st.composite
def _pair(draw: st.DrawFn) -> DrawnOp:
    names = ("Add", "AddV2", "Sub", "Mul", "SquaredDifference")
    name, dtype = draw(st.sampled_from(names)), draw(st.sampled_from(_PAIR_TYPES))
    whole = draw(st.lists(st.integers(0, 7), max_size=5))
    shapes = [[size if draw(_flag) else 1 for size in whole] for _ in range(2)]
    shorter = draw(st.integers(0, 1))
    shapes[shorter] = shapes[shorter][draw(st.integers(0, len(whole))) :]

    def outputs(flat: Any) -> Sequence[Any]:
        x, y = (tf.cast(_taken(flat, shape, i), dtype) for i, shape in enumerate(shapes))
        return [getattr(tf.raw_ops, name)(x=x, y=y)]

    return DrawnOp(f"{name} {dtype.name} {shapes}", outputs)


@st.composite
def _bias(draw: st.DrawFn) -> DrawnOp:
    layout, dtype = draw(st.sampled_from(("NHWC", "NCHW"))), draw(st.sampled_from(_BIAS_TYPES))
    fewest = 2 if layout == "NHWC" else 3
    shape = draw(st.lists(_small, min_size=fewest, max_size=5))
    channels = shape[-1 if layout == "NHWC" else 1]

    def outputs(flat: Any) -> Sequence[Any]:
        x, y = tf.cast(_taken(flat, shape), dtype), tf.cast(_taken(flat, [channels], 3), dtype)
        return [tf.nn.bias_add(x, y, layout)]

    return DrawnOp(f"bias {dtype.name} {shape} {layout}", outputs)


@st.composite
def _pad(draw: st.DrawFn) -> DrawnOp:
    dtype = draw(st.sampled_from(_PAD_TYPES))
    shape = draw(st.lists(st.integers(0, 7), min_size=1, max_size=5))
    pads = [[draw(st.integers(0, 3)), draw(st.integers(0, 3))] for _ in shape]

    def outputs(flat: Any) -> Sequence[Any]:
        return [tf.pad(tf.cast(_taken(flat, shape), dtype), pads, constant_values=3)]

    return DrawnOp(f"pad {dtype.name} {shape} {pads}", outputs)


@st.composite
def _transposition(draw: st.DrawFn) -> DrawnOp:
    shape = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6))
    order = draw(st.permutations(range(len(shape))))
    dtype = draw(st.sampled_from((tf.float32, tf.float64, tf.uint8)))

    def outputs(flat: Any) -> Sequence[Any]:
        # The conversion of negative numbers to unsigned ones is undefined.
        return [tf.transpose(tf.cast(tf.abs(_taken(flat, shape)), dtype), order)]

    return DrawnOp(f"transpose {dtype.name} {shape} {order}", outputs)


_QUANTIZED_TYPES: Mapping[Any, Any] = MappingProxyType(
    {
        tf.quint8: np.uint8,
        tf.qint8: np.int8,
        tf.quint16: np.uint16,
        tf.qint16: np.int16,
        tf.qint32: np.int32,
    }
)


# The largest float below 2 ** 31. TensorFlow's Dequantize with SCALED converts a qint32 to float and back to int32: on x86, larger
# numbers become the minimum, and the output has the wrong sign.
_LARGEST_FLOAT = 2**31 - 128


def _quantized(shape: Sequence[int], dtype: Any) -> Any:
    """Returns a constant of a quantized type that contains the type's minimum and maximum; it needs three elements."""
    integers = np.iinfo(_QUANTIZED_TYPES[dtype])
    largest = min(integers.max, _LARGEST_FLOAT)
    drawn = np.random.default_rng(7).integers(
        integers.min, largest, shape, integers.dtype, endpoint=True
    )
    drawn.reshape(-1)[:3] = integers.min, largest, 0
    return tf.bitcast(tf.constant(drawn), dtype)


@st.composite
def _dequantization(draw: st.DrawFn) -> DrawnOp:
    dtype = draw(st.sampled_from(tuple(_QUANTIZED_TYPES)))
    made = draw(st.sampled_from((tf.float32, tf.float32, tf.bfloat16)))
    modes = ("MIN_COMBINED", "MIN_FIRST", "SCALED") if made == tf.float32 else ("MIN_COMBINED",)
    mode, narrow = draw(st.sampled_from(modes)), draw(_flag)
    shape = draw(st.lists(_small, min_size=1, max_size=4))
    shape[draw(st.integers(0, len(shape) - 1))] += 2
    axis = -1 if mode == "MIN_FIRST" else draw(st.integers(-1, len(shape) - 1))

    def outputs(flat: Any) -> Sequence[Any]:
        channels = [shape[axis]] if axis >= 0 else []
        low, high = -1 - tf.abs(_taken(flat, channels)), 1 + tf.abs(_taken(flat, channels, 90))
        number = _quantized(shape, dtype)
        ends = {"min_range": low, "max_range": high, "mode": mode, "narrow_range": narrow}
        return [tf.raw_ops.Dequantize(input=number, **ends, axis=axis, dtype=made)]

    text = f"dequantize {dtype.name} {shape} {mode} {axis} narrow {narrow} to {made.name}"
    return DrawnOp(text, outputs)


@st.composite
def _shift(draw: st.DrawFn) -> DrawnOp:
    whole = draw(st.lists(st.integers(1, 40), min_size=1, max_size=4))
    shapes = [[size if draw(_flag) else 1 for size in whole] for _ in range(2)]
    shapes[1] = shapes[1][draw(st.integers(0, len(whole))) :]
    ends = np.iinfo(np.int32)

    def outputs(flat: Any) -> Sequence[Any]:
        drawn = np.random.default_rng(len(whole))
        x = drawn.integers(ends.min, ends.max, shapes[0], np.int32, endpoint=True)
        y = drawn.integers(-3, 35, shapes[1], np.int32)
        # A float32 does not have all bits of an integer.
        shifted = tf.raw_ops.RightShift(x=x, y=y)
        return [shifted & 0xFFFF, tf.raw_ops.RightShift(x=shifted, y=16)]

    return DrawnOp(f"shift {shapes}", outputs)


_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "exp": tf.exp,
        "sigmoid": tf.sigmoid,
        "tanh": tf.tanh,
        "erf": tf.math.erf,
        "relu": tf.nn.relu,
        "relu6": tf.nn.relu6,
        "softmax": tf.nn.softmax,
        "log_softmax": tf.nn.log_softmax,
    }
)


@st.composite
def _function(draw: st.DrawFn) -> DrawnOp:
    name = draw(st.sampled_from(tuple(_FUNCTIONS)))
    shape = [draw(_size), draw(_size)]

    def outputs(flat: Any) -> Sequence[Any]:
        return [_FUNCTIONS[name](_taken(flat, shape))]

    return DrawnOp(f"{name} {shape}", outputs)


KINDS: Mapping[str, st.SearchStrategy[DrawnOp]] = MappingProxyType(
    {
        "products": _product(),
        "convolutions": _convolution(),
        "depthwise": _depthwise(),
        "pooling": _pooling(),
        "normalizations": _normalization(),
        "pairs": _pair(),
        "biases": _bias(),
        "pads": _pad(),
        "transpositions": _transposition(),
        "dequantizations": _dequantization(),
        "shifts": _shift(),
        "functions": _function(),
    }
)

# The name of the graph of all_kernels.
NAME = "drawn"


def all_kernels() -> Any:
    """Returns a GraphDef with the kernels of all types that the other graphs of the library do not have."""
    with tf.Graph().as_default() as graph:
        flat = tf.compat.v1.placeholder(tf.float32, [SIZE], name=frozen.INPUT)
        parts = [tf.gather(flat, np.arange(4))]
        for dtype in _PRODUCT_TYPES:
            x = tf.cast(tf.reshape(flat[:4], [2, 2]), dtype)
            for product in (tf.linalg.matmul(x, x), tf.linalg.matmul(x[tf.newaxis], x)):
                parts.append(tf.reshape(tf.cast(product, tf.float32), [-1]))
        parts.append(tf.cast(tf.raw_ops.RightShift(x=[6], y=[1]) & 3, tf.float32))
        for dtype, made in itertools.product(_QUANTIZED_TYPES, (tf.float32, tf.bfloat16)):
            number = tf.raw_ops.Dequantize(
                input=_quantized([3], dtype), min_range=-1, max_range=1, dtype=made
            )
            parts.append(tf.cast(number, tf.float32))
        tf.concat(parts, 0, name=frozen.OUTPUT)
    return graph.as_graph_def()
