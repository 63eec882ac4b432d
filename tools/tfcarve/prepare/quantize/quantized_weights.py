"""Weights of nodes that are quantized: the factors of their channels, and the effect of their error on results. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.fold.channels import scaled
from tfcarve.prepare.graph.graph import data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.layout.layouts import Facts
from tfcarve.prepare.quantize import integer_bias
from tfcarve.prepare.quantize.bias_correction import corrected_weights, mean_error
from tfcarve.prepare.quantize.channel_shifts import channel_shifts
from tfcarve.prepare.quantize.known_ranges import Range
from tfcarve.prepare.quantize.quantization import constant_range, rounding_error


@dataclass(frozen=True)
class Weights:
    """Constant weights of a node.

    Attributes:
      multiplied: a Const with each channel multiplied by 2 to the power of its shift, or None if no channel has a shift.
      shifts: int32 [output channels].
      mean_error: float64 [output channels], the amount that quantizing the weights adds to the mean of the result.
    """

    multiplied: NodeDef | None
    shifts: Array
    mean_error: Array


def weights_of(
    node: NodeDef,
    is_signed: bool,
    per_channel: bool,
    facts: Facts,
    means: Mapping[str, Array],
    read: Range | None,
    bias: Array | None,
) -> Weights | None:
    """Returns the weights of a node, or None if they are quantized without changes and without a correction of their error.

    Args:
      node: any node.
      is_signed: whether its weights become qint8.
      per_channel: whether channels are multiplied.
      facts: about the graph.
      means: float64 [channels] by node: the means of the channels that the node reads.
      read: the range of the node's input, or None if it is measured in each run.
      bias: floats [output channels], which are added to the result as integers, or None.

    Raises:
      InvalidInput: the number of means is not the number of channels.
    """
    if not per_channel and node.name not in means:
        return None
    weights = corrected_weights(node, facts.known, facts.fed)
    bounds = constant_range(weights, is_signed) if weights is not None else None
    if weights is None or bounds is None:
        return None
    shifts = channel_shifts(node, weights, float(bounds[0]), float(bounds[1]))
    if not per_channel:
        shifts = np.zeros_like(shifts)
    if bias is not None:
        if read is None or bias.shape != shifts.shape:
            return None
        step = integer_bias.result_step((read, bounds), is_signed)
        shifts = integer_bias.limited(shifts, bias, step)
    values = scaled(node, weights, np.exp2(shifts)) if shifts.any() else weights
    added = np.zeros(shifts.shape)
    if node.name in means:
        error = scaled(node, rounding_error(values, is_signed), np.exp2(-shifts))
        added = mean_error(node, error, means[node.name])
    return Weights(_constant(node, values, facts) if shifts.any() else None, shifts, added)


def _constant(node: NodeDef, values: Array, facts: Facts) -> NodeDef:
    """Returns a Const that replaces the weights of a node."""
    source = facts.known[data_inputs(node)[1].node]
    return instead_of(source, f"{node.name}/eightbit/weights", values)
