"""How many multiply-adds a node takes, from the shapes of what it reads and writes. Pure.

Counted are sums of products: convolutions, products of matrices, recurrent cells. One multiply-add is two
floating-point operations. What works element by element (biases, activations, normalisation) counts as 0.
Sources: the ops' definitions in tensorflow/core/ops/{nn,math,linalg,rnn}_ops.cc, for the order of the inputs.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Shape = tuple[int, ...]


class Execution(NamedTuple):
    """A node as it was executed.

    Attributes:
      inputs, outputs: their shapes; None where that is unknown.
      equation: of Einsum; else "".
    """

    inputs: Sequence[Shape | None]
    outputs: Sequence[Shape | None]
    equation: str = ""


class _Unknown(Exception):
    """A shape that is needed is not known, or does not fit the op."""


def _shape(shapes: Sequence[Shape | None], index: int, least_rank: int) -> Shape:
    shape = shapes[index] if index < len(shapes) else None
    if shape is None or len(shape) < least_rank:
        raise _Unknown
    return shape


def _convolution(at: Execution) -> int:
    # Each element of the output sums up the filter's window over its input channels.
    return math.prod(_shape(at.outputs, 0, 1)) * math.prod(_shape(at.inputs, 1, 2)[:-1])


def _depthwise(at: Execution) -> int:
    return math.prod(_shape(at.outputs, 0, 1)) * math.prod(_shape(at.inputs, 1, 4)[:2])


def _gradient_of_input(at: Execution) -> int:
    # Each element of out_backprop is spread over the filter's window and the channels of the input.
    return math.prod(_shape(at.inputs, 2, 1)) * math.prod(_shape(at.inputs, 1, 2)[:-1])


def _depthwise_gradient_of_input(at: Execution) -> int:
    return math.prod(_shape(at.inputs, 2, 1)) * math.prod(_shape(at.inputs, 1, 4)[:2])


def _gradient_of_filter(at: Execution) -> int:
    return math.prod(_shape(at.inputs, 2, 1)) * math.prod(_shape(at.outputs, 0, 2)[:-1])


def _product(at: Execution) -> int:
    # The shared dimension is the other one of a matrix with as many rows as the result: so it does not
    # matter whether the matrix is transposed.
    first, result = _shape(at.inputs, 0, 2), _shape(at.outputs, 0, 2)
    rows = result[-2]
    if rows == 0:
        return 0
    shared, rest = divmod(first[-1] * first[-2], rows)
    if rest:
        raise _Unknown
    return math.prod(result) * shared


def _einsum(at: Execution) -> int:
    operands, arrow, result = at.equation.replace(" ", "").partition("->")
    if not arrow:
        raise _Unknown
    labels = operands.split(",")
    if len(labels) == 1:
        return 0
    sizes: dict[str, int] = {}
    broadcast: Shape = ()
    for number, text in enumerate([*labels, result]):
        shapes = at.outputs if number == len(labels) else at.inputs
        shape = _shape(shapes, 0 if number == len(labels) else number, 0)
        before, ellipsis, after = text.partition("...")
        spread = len(shape) - len(before) - len(after)
        if spread < 0 or (spread and not ellipsis):
            raise _Unknown
        sizes |= dict(zip(before, shape, strict=False))
        sizes |= dict(zip(after, shape[len(shape) - len(after) :], strict=True))
        broadcast = max(broadcast, shape[len(before) : len(before) + spread], key=math.prod)
    return math.prod(sizes.values()) * math.prod(broadcast)


def _block_lstm(at: Execution) -> int:
    return math.prod(_shape(at.inputs, 1, 3)[:-1]) * math.prod(_shape(at.inputs, 4, 2))


def _lstm_cell(at: Execution) -> int:
    return _shape(at.inputs, 0, 2)[0] * math.prod(_shape(at.inputs, 3, 2))


def _gru_cell(at: Execution) -> int:
    gates, candidate = _shape(at.inputs, 2, 2), _shape(at.inputs, 3, 2)
    return _shape(at.inputs, 0, 2)[0] * (math.prod(gates) + math.prod(candidate))


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


def multiply_adds(op: str, at: Execution) -> int | None:
    """Returns the multiply-adds of one execution of a node; None where a shape that is needed is not known.

    Args:
      op: the node's type.
      at: what it read and wrote.
    """
    count = _COUNTS.get(op)
    if count is None:
        return 0
    try:
        return count(at)
    except _Unknown:
        return None
