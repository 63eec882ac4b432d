"""quantize_placeholders: replaces float inputs with quantized inputs.

Source: QuantizePlaceholders in tensorflow/tools/graph_transforms/quantize_nodes.cc. Unlike TensorFlow's tool, it does
not change Placeholders of other types.
"""

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context, Parameters
from tfcarve.prepare.control_flow.constants import Constants
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, by_name, rewire, unique_name
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.quantize.quantization import QUINT8, QuantizedTensor, dequantize, width

PARAMETERS = frozenset(("input_max", "input_min"))
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False


def range_parameters(parameters: Parameters, kind: str) -> tuple[np.float32, np.float32] | None:
    """Returns the parameters `kind`_min and `kind`_max, or None if both are missing.

    Raises InvalidInput if one is missing, or they are not a range.
    """
    names = (f"{kind}_min", f"{kind}_max")
    present = [name for name in names if name in parameters]
    if not present:
        return None
    transform = parameters.transform
    if len(present) == 1:
        raise InvalidInput(f"{transform}: {names[0]} and {names[1]} must be passed together")
    with np.errstate(over="ignore"):
        low, high = (np.float32(parameters.number(name, 0)) for name in names)
    if not low < high or not np.isfinite(width(low, high)):
        raise InvalidInput(f"{transform}: {names[0]}={low} must be less than {names[1]}={high}")
    return low, high


def apply(graph: Graph, context: Context) -> Graph:
    """Quantizes inputs; raises InvalidInput if the range is missing or invalid."""
    found = range_parameters(context.parameters, "input")
    if found is None:
        raise InvalidInput(
            f"{context.parameters.transform}: the parameters input_min and input_max are required"
        )
    return quantize(graph, *found)


def quantize(graph: Graph, low: np.float32, high: np.float32) -> Graph:
    """Returns the graph with quantized inputs of the range from `low` to `high`."""
    taken, constants = set(by_name(graph)), Constants(graph.nodes)
    listed: list[NodeDef] = []
    replacements: dict[Ref, Ref] = {}
    added: list[NodeDef] = []
    for node in graph.nodes:
        listed.append(node)
        if node.op != "Placeholder" or nodes.dtype(node, "dtype") != nodes.FLOAT:
            continue
        node.attr["dtype"].type = QUINT8
        bounds = [
            constants.beside(
                Ref(node.name), unique_name(f"{node.name}_eightbit/{end}", taken), np.array(value)
            )
            for end, value in (("min", low), ("max", high))
        ]
        quantized = QuantizedTensor(Ref(node.name), Ref(bounds[0].name), Ref(bounds[1].name))
        created = dequantize(unique_name(f"{node.name}_eightbit/dequantize", taken), quantized)
        replacements[Ref(node.name)] = Ref(created.name)
        added += [*bounds, created]
    rewire(listed, replacements)
    return graph.with_nodes([*listed, *added])
