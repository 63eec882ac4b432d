"""Biases and shifts of qint32 results: integers, in steps of the result. Pure, except that it adds nodes to a list.

With constant ranges the step of a result is known, so a bias is added to its 32 bits. QuantizedBiasAdd instead adds two
numbers of 8 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import CONTROL, Ref, control_inputs, data_inputs
from tfcarve.prepare.graph.messages import AttrValue, NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.quantize.known_ranges import Range
from tfcarve.prepare.quantize.quantization import QINT32, QuantizedTensor
from tfcarve.prepare.quantize.quantized_tensors import QuantizedTensors

# The sum of a result and a bias that are both smaller has 32 bits.
_MAX = 1 << 30
_LEVELS, _SIGNED_LEVELS = 255, 254


@dataclass(frozen=True)
class Unbiased:
    """A qint32 result to which a bias is to be added, or which is to be shifted.

    Attributes:
      accumulator: the qint32 result.
      bias: int32 [channels], in steps of the result, or None.
      shifts: int32 [channels], the number of bits by which the sum is then shifted to the right.
    """

    accumulator: QuantizedTensor
    bias: Array | None
    shifts: Array


def result_step(ranges: Sequence[Range], is_signed: bool) -> np.float64:
    """Returns the step of the result of a convolution or matrix product.

    Source: QuantizationRangeForMultiplication in tensorflow/core/kernels/quantization_utils.h, and for qint8
    MklQuantizationRangeForMultiplication in tensorflow/core/kernels/mkl/mkl_quantized_conv_ops.h.

    Args:
      ranges: the ranges of the two quantized inputs.
      is_signed: whether the second input is qint8.
    """
    levels = (_LEVELS, _SIGNED_LEVELS if is_signed else _LEVELS)
    first, second = (
        np.float32((high - low) / np.float32(count))
        for (low, high), count in zip(ranges, levels, strict=True)
    )
    return np.float64(first * second)


def limited(shifts: Array, bias: Array, step: np.float64) -> Array:
    """Returns shifts with which each bias, float [channels], is still an integer of 32 bits in steps of the result."""
    with np.errstate(all="ignore"):
        steps = np.abs(bias.astype(np.float64) / step)
        most = np.floor(np.log2(_MAX / np.maximum(steps, 1))) - 1
    return np.where(np.isfinite(most), np.clip(shifts, 0, np.maximum(most, 0)), 0).astype(np.int32)


def in_steps(bias: Array, shifts: Array, step: np.float64) -> Array | None:
    """Returns a bias, floats [channels], in steps of a result before it is shifted, or None if a step is too large or not a number.

    A sum that is shifted is rounded, so half of the last bit that stays is added.
    """
    with np.errstate(all="ignore"):
        steps = np.rint(bias.astype(np.float64) * np.exp2(shifts) / step)
    if not (np.abs(steps) < _MAX).all():  # NaN is not
        return None
    return np.asarray(steps, np.int32) + np.where(
        shifts > 0, 1 << np.maximum(shifts - 1, 0), 0
    ).astype(np.int32)


def biased(node: NodeDef, unbiased: Unbiased, tensors: QuantizedTensors) -> QuantizedTensor:
    """Adds the nodes that add a bias and shift; returns the sum, which has the range of the result.

    Args:
      node: the BiasAdd, or a node without a bias; names the nodes and has their control inputs.
      unbiased: the result and the bias.
      tensors: the list of nodes.
    """
    name = f"{node.name}/eightbit"
    near = data_inputs(node)[0]
    read = _cast(f"{name}/int32", unbiased.accumulator.values, QINT32, nodes.INT32, tensors)
    control = [Ref(above, CONTROL) for above in control_inputs(node)]
    if unbiased.bias is not None:
        bias = tensors.constant(f"{name}/bias", unbiased.bias, near)
        read = tensors.node("BiasAdd", f"{name}/sum", read, bias, *control, T=nodes.INT32)
    if unbiased.shifts.any():
        shifts = tensors.constant(f"{name}/shifts", unbiased.shifts, near)
        read = tensors.node("RightShift", f"{name}/shifted", read, shifts, T=nodes.INT32)
    cast = _cast(name, read, nodes.INT32, QINT32, tensors)
    return QuantizedTensor(cast, unbiased.accumulator.low, unbiased.accumulator.high)


def _cast(name: str, read: Ref, source: int, target: int, tensors: QuantizedTensors) -> Ref:
    created = tensors.node("Bitcast", name, read, T=source)
    nodes.set_attr(tensors.listed[-1], "type", AttrValue(type=target))
    return created
