"""quantize_weights: replaces large float constants with quantized constants and a Dequantize.

Source: tensorflow/tools/graph_transforms/quantize_weights.cc. Unlike TensorFlow's tool, it uses the actual range of a
tensor with only zeros or only negative values, does not change a tensor with a value that is not finite, and can quantize
weights with a range for each channel.
"""

from collections.abc import Sequence

from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, by_name, readers, unique_name
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.quantize.channel_quantization import (
    channel_axis,
    quantized_by_channel,
    replacement,
)
from tfcarve.prepare.quantize.quantization import QuantizedTensor, constants, dequantize

PARAMETERS = frozenset(("minimum_size", "per_channel"))
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

MINIMUM_SIZE = 1024
_SUFFIXES = ("_quantized_const", "_quantized_min", "_quantized_max")
_Readers = Sequence[tuple[NodeDef, int]]


def apply(graph: Graph, context: Context) -> Graph:
    """Quantizes constants; raises InvalidInput if a parameter is invalid or a constant is damaged."""
    minimum = context.parameters.integer("minimum_size", MINIMUM_SIZE)
    if minimum < 1:
        raise InvalidInput(f"quantize_weights: minimum_size={minimum}: expected 1 or more")
    per_channel = context.parameters.boolean("per_channel", False)
    fed = context.input_nodes()
    taken = set(by_name(graph))
    read_by = readers(graph)
    replace = _channels_replacement if per_channel else _replacement
    listed: list[NodeDef] = []
    for node in graph.nodes:
        is_float = node.op == "Const" and nodes.tensor(node).dtype == nodes.FLOAT
        created = None
        if is_float and node.name not in fed and nodes.value(node).size >= minimum:
            names = [unique_name(f"{node.name}{suffix}", taken) for suffix in _SUFFIXES]
            found = read_by.get(node.name, ())
            created = replace(node, (names[0], names[1], names[2]), found)
        listed += created or [node]
    return graph.with_nodes(listed)


def _replacement(node: NodeDef, names: tuple[str, str, str], _: _Readers) -> list[NodeDef] | None:
    """Returns the nodes for a constant with one range, or None if it does not change."""
    created = constants(node, names)
    if created is None:
        return None
    read = QuantizedTensor(*(Ref(constant.name) for constant in created))
    return [*created, dequantize(node.name, read)]


def _channels_replacement(
    node: NodeDef, names: tuple[str, str, str], read_by: _Readers
) -> list[NodeDef] | None:
    """Returns the nodes for a constant with a range for each channel, or None if it does not change.

    A constant with fewer than two dimensions does not change: a bias takes few bytes, and its error is an error of the result.
    """
    array = nodes.value(node)
    if array.ndim < 2:
        return None
    found = quantized_by_channel(array, channel_axis(read_by, array.ndim))
    if found is None:
        return _replacement(node, names, read_by)
    return replacement(node, names, found)
