"""Quantizes float values to quint8 for Dequantize in mode MIN_FIRST. Pure.

Source: FloatToQuantized in tensorflow/core/kernels/quantization_utils.h.
"""

from dataclasses import dataclass, field

import numpy as np

from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

QINT8 = 11
QUINT8 = 12
QINT32 = 13
_STEPS = 256
MAX_QINT8 = 127


@dataclass(frozen=True)
class QuantizedTensor:
    """A quantized tensor with its range.

    Attributes:
      values: the quint8 tensor.
      low: the float that 0 represents.
      high: the float that 255 represents.
      known_range: low and high if they are constants of this graph.
    """

    values: Ref
    low: Ref
    high: Ref
    known_range: tuple[np.float32, np.float32] | None = field(default=None, kw_only=True)

    def refs(self) -> tuple[Ref, Ref, Ref]:
        """Returns values, low and high, in the input order of most ops."""
        return self.values, self.low, self.high


def value_range(array: Array) -> tuple[np.float32, np.float32] | None:
    """Returns a non-empty range that contains the values and 0, or None if a value or the width is not finite."""
    if not np.isfinite(array).all():
        return None
    low = np.float32(array.min(initial=0))
    high = np.float32(array.max(initial=0))
    if not np.isfinite(width(low, high)):
        return None
    return (low, high) if low < high else (low, np.float32(low + 1))


def width(low: np.float32, high: np.float32) -> np.float32:
    """Returns the width of a range; infinite if it overflows float32."""
    with np.errstate(over="ignore"):
        return np.float32(high - low)


def quantize(array: Array, low: np.float32, high: np.float32) -> Array:
    """Quantizes floats to bytes for the range from `low` to `high`."""
    scale = (_STEPS - 1) / float(width(low, high))
    steps = rounded(array.astype(np.float64) * scale) - rounded(np.float64(low) * scale)
    return np.clip(steps, 0, _STEPS - 1).astype(np.uint8)


def constant_range(array: Array, is_signed: bool) -> tuple[np.float32, np.float32] | None:
    """Returns the range of `constants` or, if `is_signed`, of `signed_constants`; None if a value is not finite."""
    if not is_signed:
        return value_range(array)
    if not np.isfinite(array).all():
        return None
    largest = np.float32(np.abs(array).max(initial=0)) or np.float32(1)
    return np.float32(-largest), largest


def rounding_error(array: Array, is_signed: bool) -> Array:
    """Returns the error of `constants` or, if `is_signed`, `signed_constants`: the float64 that they represent, minus the floats."""
    exact = array.astype(np.float64)
    found = constant_range(array, is_signed)
    if found is None:
        return np.zeros_like(exact)
    low, high = found
    if is_signed:
        return signed(array, high) * (float(high) / MAX_QINT8) - exact
    zero = quantize(np.zeros((), np.float32), low, high)
    steps = quantize(array, low, high).astype(np.float64) - zero
    return steps * (float(width(low, high)) / (_STEPS - 1)) - exact


def rounded(values: Array | np.float64) -> Array:
    """Rounds to the nearest integers, half away from zero."""
    return np.asarray(np.copysign(np.floor(np.abs(values) + 0.5), values))


def constants(node: NodeDef, names: tuple[str, str, str]) -> list[NodeDef] | None:
    """Quantizes a float Const to the Consts `names`: values, low, high; returns None if a value is not finite."""
    array = nodes.value(node)
    found = value_range(array)
    if found is None:
        return None
    return quantized_constants(node, names, quantize(array, *found), QUINT8, found)


def signed_constants(node: NodeDef, names: tuple[str, str, str]) -> list[NodeDef] | None:
    """Quantizes a float Const to qint8 in a range with 0 in its middle; otherwise like `constants`.

    Source: MklQuantizedConvOp in tensorflow/core/kernels/mkl/mkl_conv_ops.cc: a filter's values are -127 to 127.
    """
    array = nodes.value(node)
    found = constant_range(array, is_signed=True)
    if found is None:
        return None
    return quantized_constants(node, names, signed(array, found[1]), QINT8, found)


def signed(array: Array, largest: np.float32 | Array) -> Array:
    """Quantizes finite floats to int8; `largest`, a number or an array that is broadcast, becomes 127."""
    steps = rounded(array * (MAX_QINT8 / np.asarray(largest, np.float64)))
    return np.clip(steps, -MAX_QINT8, MAX_QINT8).astype(np.int8)


def quantized_constants(
    node: NodeDef,
    names: tuple[str, str, str],
    values: Array,
    dtype: int,
    bounds: tuple[np.float32 | Array, np.float32 | Array],
) -> list[NodeDef]:
    """Returns the Consts `names` that replace a float Const: quantized values, low and high bound."""
    return [
        instead_of(node, names[0], values, dtype),
        *(instead_of(node, name, np.array(v)) for name, v in zip(names[1:], bounds, strict=True)),
    ]


def dequantize(name: str, quantized: QuantizedTensor, dtype: int = QUINT8) -> NodeDef:
    """Returns a Dequantize of a quantized tensor.

    It is exact for the qint32 result of a quantized convolution or matrix product: with the range of such a result
    (QuantizationRangeForMultiplication), the float that 0 represents is 0, and a step is the product of the steps.
    """
    return nodes.make(
        "Dequantize",
        name,
        quantized.refs(),
        T=nodes.type_value(dtype),
        mode=nodes.text_value("MIN_FIRST"),
    )
