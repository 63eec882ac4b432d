"""Random ops that move elements or compute each one by itself.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from e2e.random_cases.drawn_op import INTEGERS, SPECIAL, DrawnOp, rounding, taken, typed

_size = st.integers(1, 40)
_small = st.integers(1, 9)
_flag = st.booleans()

_FLOATS = (tf.float32, tf.float64, tf.half, tf.bfloat16)
_SIGNED = (tf.int8, tf.int16, tf.int32, tf.int64)
_UNSIGNED = (tf.uint8, tf.uint16, tf.uint32, tf.uint64)
_COMPLEX = (tf.complex64, tf.complex128)
_NUMBERS = (*_FLOATS, *_SIGNED, *_UNSIGNED, *_COMPLEX)
# The types whose kernels are in the sources of the overrides.
_SUMS = (*_FLOATS, tf.int32, tf.int64)
_PAIRS: Mapping[str, Sequence[Any]] = MappingProxyType(
    {
        "Add": _SUMS,
        "AddV2": _SUMS,
        "Sub": _NUMBERS,
        "Mul": (*_FLOATS, tf.int32, tf.uint8),
        "SquaredDifference": (*_SUMS, *_COMPLEX),
    }
)


@st.composite
def _pair(draw: st.DrawFn) -> DrawnOp:
    name = draw(st.sampled_from(tuple(_PAIRS)))
    dtype, numbers = draw(typed(_PAIRS[name]))
    whole = draw(st.lists(st.integers(0, 7), max_size=5))
    shapes = [[size if draw(_flag) else 1 for size in whole] for _ in range(2)]
    shorter = draw(st.integers(0, 1))
    shapes[shorter] = shapes[shorter][draw(st.integers(0, len(whole))) :]

    def outputs(flat: Any) -> Sequence[Any]:
        x, y = (taken(flat, shape, i, dtype) for i, shape in enumerate(shapes))
        return [getattr(tf.raw_ops, name)(x=x, y=y)]

    # A complex square is a sum.
    signed = not (dtype.is_complex and name == "SquaredDifference")
    return DrawnOp(f"{name} {dtype.name} {shapes}", outputs, numbers, signed_zeros=signed)


@st.composite
def _bias(draw: st.DrawFn) -> DrawnOp:
    (dtype, numbers), layout = draw(typed(_NUMBERS)), draw(st.sampled_from(("NHWC", "NCHW")))
    fewest = 2 if layout == "NHWC" else 3
    shape = draw(st.lists(_small, min_size=fewest, max_size=5))
    channels = shape[-1 if layout == "NHWC" else 1]

    def outputs(flat: Any) -> Sequence[Any]:
        x, y = taken(flat, shape, 0, dtype), taken(flat, [channels], 3, dtype)
        return [tf.nn.bias_add(x, y, layout)]

    return DrawnOp(f"bias {dtype.name} {shape} {layout}", outputs, numbers, signed_zeros=True)


_PADDED = (*_NUMBERS, tf.bool, tf.qint8, tf.quint8, tf.qint32)


def _padded(x: Any, pads: Any, index: Any, three: bool) -> Any:
    """Returns a tensor padded with 3 or, by another op, 0; `index` is the type of `pads`."""
    paddings = tf.constant(pads, index, [len(pads), 2])
    if not three:
        return tf.raw_ops.Pad(input=x, paddings=paddings)
    number = tf.constant(3, tf.int32 if x.dtype == tf.qint32 else tf.int8)
    value = tf.bitcast(number, x.dtype) if x.dtype.is_quantized else tf.cast(number, x.dtype)
    return tf.raw_ops.PadV2(input=x, paddings=paddings, constant_values=value)


# The types of paddings.
_INDICES = (tf.int32, tf.int64)


@st.composite
def _pad(draw: st.DrawFn) -> DrawnOp:
    dtype, numbers = draw(typed(_PADDED))
    index, three = draw(st.sampled_from(_INDICES)), draw(_flag)
    shape = draw(st.lists(st.integers(0, 7), min_size=1, max_size=5))
    pads = [[draw(st.integers(0, 3)), draw(st.integers(0, 3))] for _ in shape]

    def outputs(flat: Any) -> Sequence[Any]:
        return [_padded(taken(flat, shape, 0, dtype), pads, index, three)]

    text = f"pad {dtype.name} {shape} {index.name} {pads} with {'3' if three else '0'}"
    return DrawnOp(text, outputs, numbers, signed_zeros=True)


_TRANSPOSED = (*_NUMBERS, tf.bool)


def _transposed(x: Any, order: Any, conjugate: bool) -> Any:
    op = tf.raw_ops.ConjugateTranspose if conjugate else tf.raw_ops.Transpose
    return op(x=x, perm=order)


@st.composite
def _transposition(draw: st.DrawFn) -> DrawnOp:
    dtype, numbers = draw(typed(_TRANSPOSED))
    shape = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6))
    order = draw(st.permutations(range(len(shape))))
    conjugate = dtype.is_complex and draw(_flag)

    def outputs(flat: Any) -> Sequence[Any]:
        return [_transposed(taken(flat, shape, 0, dtype), order, conjugate)]

    text = f"transpose {dtype.name} {shape} {order}, conjugate {conjugate}"
    return DrawnOp(text, outputs, numbers, signed_zeros=True)


_QUANTIZED_TYPES: Mapping[Any, Any] = MappingProxyType(
    {
        tf.quint8: np.uint8,
        tf.qint8: np.int8,
        tf.quint16: np.uint16,
        tf.qint16: np.int16,
        tf.qint32: np.int32,
    }
)
_DEQUANTIZED = (tf.float32, tf.bfloat16)


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
    made, numbers = (
        draw(st.sampled_from((tf.float32, *_DEQUANTIZED))),
        draw(st.sampled_from((INTEGERS, SPECIAL))),
    )
    modes = ("MIN_COMBINED", "MIN_FIRST", "SCALED") if made == tf.float32 else ("MIN_COMBINED",)
    mode, narrow = draw(st.sampled_from(modes)), draw(_flag)
    shape = draw(st.lists(_small, min_size=1, max_size=4))
    shape[draw(st.integers(0, len(shape) - 1))] += 2
    axis = -1 if mode == "MIN_FIRST" else draw(st.integers(-1, len(shape) - 1))
    scale = draw(st.sampled_from((1.0, 1e-30, 1e-3, 1e7, 1e30)))

    def outputs(flat: Any) -> Sequence[Any]:
        channels = [shape[axis]] if axis >= 0 else []
        low = -scale - scale * tf.abs(taken(flat, channels))
        high = scale + scale * tf.abs(taken(flat, channels, 90))
        number = _quantized(shape, dtype)
        ends = {"min_range": low, "max_range": high, "mode": mode, "narrow_range": narrow}
        return [tf.raw_ops.Dequantize(input=number, **ends, axis=axis, dtype=made)]

    text = f"dequantize {dtype.name} {shape} {mode} {axis} narrow {narrow} to {made.name}, {scale}"
    return DrawnOp(text, outputs, numbers, fused_tolerance=rounding(made), signed_zeros=True)


_SHIFTED = (tf.int32, tf.int8, tf.int16, tf.int64, *_UNSIGNED)


@st.composite
def _shift(draw: st.DrawFn) -> DrawnOp:
    dtype, _ = draw(typed(_SHIFTED))
    whole = draw(st.lists(st.integers(1, 40), min_size=1, max_size=4))
    shapes = [[size if draw(_flag) else 1 for size in whole] for _ in range(2)]
    shapes[1] = shapes[1][draw(st.integers(0, len(whole))) :]

    def outputs(_: Any) -> Sequence[Any]:
        drawn, ends = np.random.default_rng(len(whole)), np.iinfo(dtype.as_numpy_dtype)
        x = drawn.integers(ends.min, ends.max, shapes[0], ends.dtype, endpoint=True)
        # Also less than no bit, and more than all of them.
        y = drawn.integers(0 if dtype.is_unsigned else -3, ends.bits + 3, shapes[1], ends.dtype)
        return [tf.raw_ops.RightShift(x=x, y=y)]

    return DrawnOp(f"shift {dtype.name} {shapes}", outputs)


_LIMITED = (*_FLOATS, *_SIGNED, *_UNSIGNED)
# With oneDNN, TensorFlow's softmax ignores NaN. The fixed case "functions" has special numbers for all functions but softmax.
_FUNCTIONS: Mapping[str, tuple[Callable[[Any], Any], Sequence[Any]]] = MappingProxyType(
    {
        "exp": (tf.exp, (*_FLOATS, *_COMPLEX)),
        "sigmoid": (tf.sigmoid, (*_FLOATS, *_COMPLEX)),
        "tanh": (tf.tanh, (*_FLOATS, *_COMPLEX)),
        "erf": (tf.math.erf, _FLOATS),
        "relu": (tf.nn.relu, _LIMITED),
        "relu6": (tf.nn.relu6, _LIMITED),
        "softmax": (tf.nn.softmax, _FLOATS),
        "log_softmax": (tf.nn.log_softmax, _FLOATS),
    }
)


@st.composite
def _function(draw: st.DrawFn) -> DrawnOp:
    name = draw(st.sampled_from(tuple(_FUNCTIONS)))
    function, types = _FUNCTIONS[name]
    is_limit = types is _LIMITED
    dtype, numbers = draw(typed(types, (INTEGERS, SPECIAL) if is_limit else (INTEGERS,)))
    if dtype == tf.bfloat16:
        # Whether a denormal bfloat16 is less than zero depends on the instructions.
        numbers = INTEGERS
    shape = [draw(_size), draw(_size)]

    def outputs(flat: Any) -> Sequence[Any]:
        return [function(taken(flat, shape, 0, dtype))]

    # Exponential functions differ in their last bits.
    tolerance = 0 if is_limit else rounding(dtype)
    return DrawnOp(f"{name} {dtype.name} {shape}", outputs, numbers, tolerance)


KINDS: Mapping[str, st.SearchStrategy[DrawnOp]] = MappingProxyType(
    {
        "pairs": _pair(),
        "biases": _bias(),
        "pads": _pad(),
        "transpositions": _transposition(),
        "dequantizations": _dequantization(),
        "shifts": _shift(),
        "functions": _function(),
    }
)


def outputs(flat: Any) -> Iterator[Any]:
    """Yields outputs of all kernels that KINDS draw, made from the flat input."""
    for name, types in _PAIRS.items():
        for dtype in types:
            x = taken(flat, [4], 0, dtype)
            yield getattr(tf.raw_ops, name)(x=x, y=x)
    for dtype in _NUMBERS:
        yield tf.nn.bias_add(taken(flat, [2, 2], 0, dtype), taken(flat, [2], 0, dtype))
    for dtype, index, three in itertools.product(_PADDED, _INDICES, (False, True)):
        yield _padded(taken(flat, [4], 0, dtype), [[1, 1]], index, three)
    for dtype in _TRANSPOSED:
        yield _transposed(taken(flat, [2, 2], 0, dtype), [1, 0], False)
    for dtype in _COMPLEX:
        yield _transposed(taken(flat, [2, 2], 0, dtype), [1, 0], True)
    for dtype, made in itertools.product(_QUANTIZED_TYPES, _DEQUANTIZED):
        number = _quantized([3], dtype)
        yield tf.raw_ops.Dequantize(input=number, min_range=-1, max_range=1, dtype=made)
    for dtype in _SHIFTED:
        six, one = np.array([6], dtype.as_numpy_dtype), np.array([1], dtype.as_numpy_dtype)
        yield tf.raw_ops.RightShift(x=six, y=one)
    for function, types in _FUNCTIONS.values():
        for dtype in types:
            yield function(taken(flat, [1, 4], 0, dtype))
