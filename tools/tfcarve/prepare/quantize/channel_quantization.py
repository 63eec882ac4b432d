"""Quantizes weights to qint8, with a scale for each channel, for Dequantize in mode SCALED. Pure.

Sources: DequantizeOp in tensorflow/core/kernels/dequantize_op.cc; R. Krishnamoorthi, "Quantizing deep convolutional
networks for efficient inference" (2018): weights need a scale for each output channel. Folded batch normalizations give
the channels of a convolution very different ranges.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import AttrValue, NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.quantize.quantization import MAX_QINT8, QINT8, quantized_constants, signed

# A channel with fewer values would be little smaller with its scale.
_MIN_CHANNEL_SIZE = 8
# The channels of the weights of other ops are their last dimension.
_CHANNEL_AXES = {
    ("Conv2DBackpropInput", 1): 2,
    ("DepthwiseConv2dNative", 1): 2,
    ("_FusedDepthwiseConv2dNative", 1): 2,
    ("Gather", 0): 0,
    ("GatherV2", 0): 0,
}
_PRODUCTS = frozenset(("BatchMatMul", "BatchMatMulV2", "MatMul", "_FusedMatMul"))


@dataclass(frozen=True)
class ChannelQuantized:
    """Quantized weights.

    Attributes:
      values: int8, from -127 to 127.
      highs: float32 [channels], the value that 127 represents in each channel.
      axis: the dimension of the channels.
    """

    values: Array
    highs: Array
    axis: int

    def floats(self) -> Array:
        """Returns the float32 values that Dequantize computes."""
        scales = self.highs / np.float32(MAX_QINT8)
        return self.values.astype(np.float32) * scales.reshape(_broadcast(self.values, self.axis))


def channel_axis(readers: Sequence[tuple[NodeDef, int]], rank: int) -> int:
    """Returns the dimension of the channels of weights.

    Args:
      readers: the nodes that read the weights, and the numbers of the inputs.
      rank: of the weights.
    """
    for node, index in readers:
        axis = _CHANNEL_AXES.get((node.op, index), rank - 1)
        if node.op in _PRODUCTS and index == 1 and _is_transposed(node):
            axis = rank - 2
        return axis if 0 <= axis < rank else rank - 1
    return rank - 1


def quantized_by_channel(array: Array, axis: int) -> ChannelQuantized | None:
    """Quantizes floats; returns None if a value is not finite, or the channels have too few values for their scales."""
    if array.ndim < 2 or array.size < _MIN_CHANNEL_SIZE * array.shape[axis]:
        return None
    others = tuple(each for each in range(array.ndim) if each != axis)
    highs = np.abs(array).max(axis=others)
    if not np.isfinite(highs).all():
        return None
    highs = np.where(highs > 0, highs, np.float32(1))
    values = signed(array, highs.reshape(_broadcast(array, axis)))
    return ChannelQuantized(values, highs, axis)


def replacement(
    node: NodeDef, names: tuple[str, str, str], found: ChannelQuantized
) -> list[NodeDef]:
    """Returns the nodes that replace a float Const: three Consts called `names`, and a Dequantize with the Const's name."""
    # In mode SCALED the low ends are not used unless they give the larger scale.
    bounds = (np.zeros_like(found.highs), found.highs)
    created = quantized_constants(node, names, found.values, QINT8, bounds)
    dequantize = nodes.make(
        "Dequantize",
        node.name,
        [Ref(constant.name) for constant in created],
        T=nodes.type_value(QINT8),
        mode=nodes.text_value("SCALED"),
        narrow_range=AttrValue(b=True),
        axis=AttrValue(i=found.axis),
    )
    return [*created, dequantize]


def _is_transposed(product: NodeDef) -> bool:
    """Returns whether a product reads its second operand transposed."""
    key = "adj_y" if product.op.startswith("BatchMatMul") else "transpose_b"
    return nodes.flag(product, key, False)


def _broadcast(array: Array, axis: int) -> tuple[int, ...]:
    """Returns the shape in which a value of each channel is broadcast to `array`."""
    return tuple(size if each == axis else 1 for each, size in enumerate(array.shape))
