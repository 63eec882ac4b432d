"""Corrects biases by the mean error that quantized weights cause. Pure.

Source: M. Nagel et al., "Data-free quantization through weight equalization and bias correction" (2019), section 4.2 and
appendix D: the error of the weights times the mean of the inputs shifts the mean of each output channel.
"""

from collections.abc import Collection, Mapping

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Ref, data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.quantize.quantized_ops import DEPTHWISE
from tfcarve.prepare.quantize.quantized_plan import is_heavy


def averaged_input(node: NodeDef, known: Mapping[str, NodeDef], fed: Collection[str]) -> Ref | None:
    """Returns the tensor whose channel means correct a node's result, or None if the node's result is not corrected.

    It is the first input of a Conv2D, DepthwiseConv2dNative or MatMul with constant weights. Its last dimension is the
    channels.

    Args:
      node: any node.
      known: the nodes of the graph by name.
      fed: the names of the nodes that the app feeds.
    """
    sources = data_inputs(node)
    if not is_heavy(node) or len(sources) != 2 or nodes.dtype(node) != nodes.FLOAT:
        return None
    if nodes.text(node, "data_format", "NHWC") != "NHWC" or nodes.flag(node, "transpose_a", False):
        return None
    weights = sources[1]
    is_constant = known[weights.node].op == "Const" and weights.output == 0
    return sources[0] if is_constant and weights.node not in fed else None


def corrected_weights(
    node: NodeDef, known: Mapping[str, NodeDef], fed: Collection[str]
) -> Array | None:
    """Returns the weights of a node for which averaged_input returns a tensor, or None if they do not fit the node."""
    if averaged_input(node, known, fed) is None:
        return None
    weights = nodes.value(known[data_inputs(node)[1].node])
    return weights if weights.ndim == (2 if node.op == "MatMul" else 4) else None


def mean_error(node: NodeDef, error: Array, means: Array) -> Array:
    """Returns the mean error of each channel of a node's result.

    Args:
      node: a node for which corrected_weights returns weights.
      error: the quantized weights minus the weights, as floats.
      means: float64 [channels], of the tensor that averaged_input returns.

    Returns:
      float64 [output channels]

    Raises:
      InvalidInput: the number of means is not the number of channels.
    """
    error = error.astype(np.float64)
    if node.op == "MatMul":
        matrix = error.T if nodes.flag(node, "transpose_b", False) else error
        _require(node, len(matrix), means)
        return np.asarray(means @ matrix)
    taps = error.sum(axis=(0, 1))
    if node.op == DEPTHWISE:
        _require(node, len(taps), means)
        return np.asarray(taps * means[:, np.newaxis]).reshape(-1)
    channels, results = taps.shape
    groups = len(means) // channels if channels and len(means) % channels == 0 else 0
    if not groups or results % groups:
        _require(node, channels, means)
    of_groups = taps.reshape(channels, groups, results // groups)
    sums = np.einsum("gi,igo->go", means.reshape(groups, channels), of_groups)
    return np.asarray(sums).reshape(-1)


def _require(node: NodeDef, channels: int, means: Array) -> None:
    if len(means) != channels:
        raise InvalidInput(
            f"node {node.name!r}: {len(means)} means for {channels} channels: "
            "run `tfcarve calibrate` on this model"
        )
