"""Powers of two by which weights are multiplied so that each output channel uses all of the 8 bits. Pure.

A quantized convolution or matrix product has one range for all weights, and after a folded batch normalization the ranges of
channels differ by orders of magnitude. The sums of 32 bits are shifted back.
"""

import numpy as np

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.quantize.quantized_ops import DEPTHWISE

# Smaller channels matter little, and a bias must be representable after the multiplication.
_MAX_SHIFT = 10
# The sums of a node are shifted only if a channel gains this number of bits.
_WORTH = 2


def channel_shifts(node: NodeDef, weights: Array, low: float, high: float) -> Array:
    """Returns int32 [output channels]: the exponents, all of them 0 if no channel gains much.

    Args:
      node: a Conv2D, DepthwiseConv2dNative or MatMul.
      weights: its weights, finite floats; a multiplied weight is in the range.
      low: the low end of the range, at most 0.
      high: the high end, at least 0.
    """
    axes = tuple(range(weights.ndim - 1))
    if node.op == DEPTHWISE:
        axes = (0, 1)
    elif nodes.flag(node, "transpose_b", False):
        axes = (1,)
    most, least = (
        find(axis=axes, initial=0).reshape(-1).astype(np.float64)
        for find in (weights.max, weights.min)
    )
    # The share of its side of the range that a channel uses.
    share = np.zeros_like(most)
    if high > 0:
        share = np.maximum(share, most / high)
    if low < 0:
        share = np.maximum(share, least / low)
    # The exponent e of a number is the exponent of the next power of two above it: 2^-e times the number is at most 1.
    mantissas, exponents = np.frexp(share)
    shifts = np.where(mantissas == 0.5, 1 - exponents, -exponents)
    found = np.where(share > 0, np.clip(shifts, 0, _MAX_SHIFT), 0).astype(np.int32)
    return found if found.max(initial=0) >= _WORTH else np.zeros_like(found)
