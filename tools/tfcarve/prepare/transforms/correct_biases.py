"""correct_biases: subtracts the mean error of weights that quantize_weights(per_channel=true) quantizes from biases.

Not in TensorFlow's tool. bias_correction.py computes the correction. It changes the bias of a result, or the result gets a
BiasAdd.
"""

from collections.abc import Mapping

import numpy as np

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.control_flow.frames import without_value
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    Graph,
    Ref,
    by_name,
    consumer_counts,
    data_inputs,
    readers,
    topological_order,
    unique_name,
)
from tfcarve.prepare.graph.matching import Matcher
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.graph.unused import without_unused
from tfcarve.prepare.quantize.bias_correction import corrected_weights, mean_error
from tfcarve.prepare.quantize.channel_quantization import channel_axis, quantized_by_channel
from tfcarve.prepare.quantize.known_ranges import PARAMETER, known_means
from tfcarve.prepare.quantize.quantization import rounding_error
from tfcarve.prepare.transforms.quantize_weights import MINIMUM_SIZE

PARAMETERS = frozenset(("minimum_size", PARAMETER))
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False


def apply(graph: Graph, context: Context) -> Graph:
    """Corrects biases; raises InvalidInput if the file of the parameter `ranges` is invalid or of another model."""
    context.parameters.required(PARAMETER, f'correct_biases({PARAMETER}="ranges.json")')
    known = by_name(graph)
    errors = _errors(graph, known, context)
    matcher = Matcher(graph, context.preserved())
    taken = set(known)
    was_read = consumer_counts(graph)
    biased = {
        name: _bias_add(known[name], error, matcher, context) for name, error in errors.items()
    }
    changed = {add.name: name for name, add in biased.items() if add is not None}
    listed: list[NodeDef] = []
    for node in graph.nodes:
        if node.name in changed:
            replaced = known[data_inputs(node)[1].node]
            bias = _bias(node, replaced, nodes.value(replaced) - errors[changed[node.name]], taken)
            node.input[1] = bias.name
            listed += (bias, node)
        elif node.name in errors and biased[node.name] is None:
            weights = known[data_inputs(node)[1].node]
            listed += _with_bias_add(node, weights, -errors[node.name], taken)
        else:
            listed.append(node)
    created = graph.with_nodes(listed)
    return without_unused(created, ("Const",), was_read, context.preserved())


def _errors(graph: Graph, known: Mapping[str, NodeDef], context: Context) -> dict[str, Array]:
    """Returns the mean error of each channel of each node that has means and quantized weights."""
    minimum = context.parameters.integer("minimum_size", MINIMUM_SIZE)
    means = known_means(context.parameters, known)
    order = topological_order(graph)
    in_loops = without_value(order)
    read_by = readers(graph)
    found: dict[str, Array] = {}
    for node in order:
        if node.name not in means or node.name in in_loops:
            continue
        weights = corrected_weights(node, known, context.input_nodes())
        if weights is not None and weights.size >= minimum:
            axis = channel_axis(read_by[data_inputs(node)[1].node], weights.ndim)
            found[node.name] = mean_error(node, _error(weights, axis), means[node.name])
    return found


def _error(weights: Array, axis: int) -> Array:
    """Returns the error of weights: the result of quantize_weights(per_channel=true), minus the weights."""
    quantized = quantized_by_channel(weights, axis)
    return rounding_error(weights, False) if quantized is None else quantized.floats() - weights


def _bias_add(node: NodeDef, error: Array, matcher: Matcher, context: Context) -> NodeDef | None:
    """Returns the only reader of a node if that adds a constant bias of the shape of `error` to it, else None."""
    user = matcher.only_user(node.name)
    if user is None or user.op != "BiasAdd" or data_inputs(user)[0] != Ref(node.name):
        return None
    bias = data_inputs(user)[1]
    source = matcher.node(bias.node)
    if source is None or source.op != "Const" or bias.output != 0:
        return None
    is_fed = bias.node in context.input_nodes()
    return user if not is_fed and nodes.value(source).shape == error.shape else None


def _bias(node: NodeDef, beside: NodeDef, values: Array, taken: set[str]) -> NodeDef:
    """Returns a bias that runs when the Const `beside` runs."""
    name = unique_name(f"{node.name}/corrected_bias", taken)
    return instead_of(beside, name, values.astype(np.float32))


def _with_bias_add(
    node: NodeDef, weights: NodeDef, values: Array, taken: set[str]
) -> list[NodeDef]:
    """Returns a node under a new name, and a BiasAdd with its name."""
    bias = _bias(node, weights, values, taken)
    renamed = nodes.copy(node, unique_name(f"{node.name}/uncorrected", taken))
    read = (Ref(renamed.name), Ref(bias.name))
    return [renamed, bias, nodes.make("BiasAdd", node.name, read, T=nodes.type_value(nodes.FLOAT))]
