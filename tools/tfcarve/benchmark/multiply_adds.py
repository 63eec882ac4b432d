"""The number of multiply-adds of a node, computed from the shapes of its inputs and outputs. Pure.

Convolutions, matrix products and recurrent cells are counted; one multiply-add is two floating-point operations.
Element-wise ops (biases, activations, normalization) count as 0. The inputs are in the order of the op definitions
in tensorflow/core/ops/{nn,math,linalg,rnn}_ops.cc.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tfcarve.client.arrays import Shape

# No computer computes more in one execution.
_MAX = 2**63 - 1


class Execution(NamedTuple):
    """An execution of a node.

    Attributes:
      inputs, outputs: their shapes; None if unknown.
      equation: of Einsum; "" for other ops.
    """

    inputs: Sequence[Shape | None]
    outputs: Sequence[Shape | None]
    equation: str = ""


class _Unknown(Exception):
    """A required shape is unknown or does not fit the op."""


def _shape(shapes: Sequence[Shape | None], index: int, min_rank: int) -> Shape:
    shape = shapes[index] if index < len(shapes) else None
    if shape is None or len(shape) < min_rank:
        raise _Unknown
    return shape


def _convolution(execution: Execution) -> int:
    # Each element of the output is a sum over the filter's window and input channels.
    return math.prod(_shape(execution.outputs, 0, 1)) * math.prod(
        _shape(execution.inputs, 1, 2)[:-1]
    )


def _depthwise(execution: Execution) -> int:
    return math.prod(_shape(execution.outputs, 0, 1)) * math.prod(
        _shape(execution.inputs, 1, 4)[:2]
    )


def _gradient_of_input(execution: Execution) -> int:
    # Each element of out_backprop is distributed over the filter's window and the input's channels.
    return math.prod(_shape(execution.inputs, 2, 1)) * math.prod(
        _shape(execution.inputs, 1, 2)[:-1]
    )


def _depthwise_gradient_of_input(execution: Execution) -> int:
    return math.prod(_shape(execution.inputs, 2, 1)) * math.prod(_shape(execution.inputs, 1, 4)[:2])


def _gradient_of_filter(execution: Execution) -> int:
    return math.prod(_shape(execution.inputs, 2, 1)) * math.prod(
        _shape(execution.outputs, 0, 2)[:-1]
    )


def _product(execution: Execution) -> int:
    # The first matrix has as many rows, or columns if it is transposed, as the result; its other dimension is the
    # contracted one.
    first, result = _shape(execution.inputs, 0, 2), _shape(execution.outputs, 0, 2)
    rows = result[-2]
    if rows == 0:
        return 0
    shared, rest = divmod(first[-1] * first[-2], rows)
    if rest:
        raise _Unknown
    return math.prod(result) * shared


def _einsum(execution: Execution) -> int:
    operands, arrow, result = execution.equation.replace(" ", "").partition("->")
    if not arrow:
        raise _Unknown
    labels = operands.split(",")
    if len(labels) == 1:
        return 0
    sizes: dict[str, int] = {}
    broadcast: Shape = ()
    for number, text in enumerate([*labels, result]):
        shapes = execution.outputs if number == len(labels) else execution.inputs
        shape = _shape(shapes, 0 if number == len(labels) else number, 0)
        before, ellipsis, after = text.partition("...")
        spread = len(shape) - len(before) - len(after)
        if spread < 0 or (spread and not ellipsis):
            raise _Unknown
        sizes |= dict(zip(before, shape, strict=False))
        sizes |= dict(zip(after, shape[len(shape) - len(after) :], strict=True))
        broadcast = max(broadcast, shape[len(before) : len(before) + spread], key=math.prod)
    return math.prod(sizes.values()) * math.prod(broadcast)


def _block_lstm(execution: Execution) -> int:
    return math.prod(_shape(execution.inputs, 1, 3)[:-1]) * math.prod(
        _shape(execution.inputs, 4, 2)
    )


def _lstm_cell(execution: Execution) -> int:
    return _shape(execution.inputs, 0, 2)[0] * math.prod(_shape(execution.inputs, 3, 2))


def _gru_cell(execution: Execution) -> int:
    gates, candidate = _shape(execution.inputs, 2, 2), _shape(execution.inputs, 3, 2)
    return _shape(execution.inputs, 0, 2)[0] * (math.prod(gates) + math.prod(candidate))


_COUNTS: Mapping[str, Callable[[Execution], int]] = {
    "Conv2D": _convolution,
    "_FusedConv2D": _convolution,
    "QuantizedConv2D": _convolution,
    "Conv3D": _convolution,
    "_FusedConv3D": _convolution,
    "DepthwiseConv2dNative": _depthwise,
    "_FusedDepthwiseConv2dNative": _depthwise,
    "Conv2DBackpropInput": _gradient_of_input,
    "Conv3DBackpropInputV2": _gradient_of_input,
    "DepthwiseConv2dNativeBackpropInput": _depthwise_gradient_of_input,
    "Conv2DBackpropFilter": _gradient_of_filter,
    "Conv3DBackpropFilterV2": _gradient_of_filter,
    "MatMul": _product,
    "_FusedMatMul": _product,
    "QuantizedMatMul": _product,
    "SparseMatMul": _product,
    "BatchMatMul": _product,
    "BatchMatMulV2": _product,
    "BatchMatMulV3": _product,
    "_FusedBatchMatMulV2": _product,
    "Einsum": _einsum,
    "BlockLSTM": _block_lstm,
    "BlockLSTMV2": _block_lstm,
    "LSTMBlockCell": _lstm_cell,
    "GRUBlockCell": _gru_cell,
}
OPS = frozenset(_COUNTS)


def multiply_adds(op: str, execution: Execution) -> int | None:
    """Returns the multiply-adds of one execution of a node; None if a required shape is unknown or too large.

    Args:
      op: the node's op type.
      execution: the shapes of its inputs and outputs.
    """
    count = _COUNTS.get(op)
    if count is None:
        return 0
    try:
        found = count(execution)
    except _Unknown:
        return None
    return found if found <= _MAX else None
