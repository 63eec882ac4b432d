"""Biases of qint32 results: integers, in steps of the result. Pure, except that it adds nodes to a list.

With constant ranges the step of a result is known, so a bias is added to its 32 bits. QuantizedBiasAdd instead adds two
numbers of 8 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tfcarve.prepare import nodes
from tfcarve.prepare.graph import CONTROL, Ref, control_inputs
from tfcarve.prepare.messages import AttrValue, NodeDef
from tfcarve.prepare.quantization import QINT32, QuantizedTensor
from tfcarve.prepare.quantized_tensors import QuantizedTensors
from tfcarve.prepare.tensors import Array

# A result of less than this and a bias of less than this have a sum of 32 bits.
_MAX = 1 << 30
_LEVELS, _SIGNED_LEVELS = 255, 254


@dataclass(frozen=True)
class Unbiased:
    """A qint32 result to which a bias is to be added, and the bias in steps of the result."""

    wide: QuantizedTensor
    bias: Array


def in_steps(bias: Array, operands: Sequence[QuantizedTensor], is_signed: bool) -> Array | None:
    """Returns a bias in steps of the result of a convolution or matrix product, or None if it has no such form.

    Source of the step: QuantizationRangeForMultiplication in tensorflow/core/kernels/quantization_utils.h, and for qint8
    MklQuantizationRangeForMultiplication in tensorflow/core/kernels/mkl/mkl_quantized_conv_ops.h.

    Args:
      bias: floats [channels].
      operands: the quantized inputs of the convolution or matrix product.
      is_signed: whether the second of them is qint8.
    """
    ends = [operand.ends for operand in operands if operand.ends is not None]
    if len(ends) < len(operands):
        return None
    levels = (_LEVELS, _SIGNED_LEVELS if is_signed else _LEVELS)
    first, second = (
        np.float32((high - low) / np.float32(count))
        for (low, high), count in zip(ends, levels, strict=True)
    )
    with np.errstate(all="ignore"):
        steps = np.rint(bias.astype(np.float64) / np.float64(first * second))
    if not (np.abs(steps) < _MAX).all():  # NaN is not
        return None
    return np.asarray(steps, np.int32)


def biased(node: NodeDef, unbiased: Unbiased, tensors: QuantizedTensors) -> QuantizedTensor:
    """Adds the nodes that add a bias; returns the sum, which has the range of the result.

    Args:
      node: the BiasAdd, or a node without a bias; names the nodes and has their control inputs.
      unbiased: the result and the bias.
      tensors: the list of nodes.
    """
    name = f"{node.name}/eightbit"
    read = _cast(f"{name}/int32", unbiased.wide.values, QINT32, nodes.INT32, tensors)
    bias = tensors.constant(f"{name}/bias", unbiased.bias, read)
    control = [Ref(above, CONTROL) for above in control_inputs(node)]
    sums = tensors.node("BiasAdd", f"{name}/sum", read, bias, *control, T=nodes.INT32)
    cast = _cast(name, sums, nodes.INT32, QINT32, tensors)
    return QuantizedTensor(cast, unbiased.wide.low, unbiased.wide.high)


def _cast(name: str, read: Ref, source: int, target: int, tensors: QuantizedTensors) -> Ref:
    created = tensors.node("Bitcast", name, read, T=source)
    nodes.set_attr(tensors.listed[-1], "type", AttrValue(type=target))
    return created
