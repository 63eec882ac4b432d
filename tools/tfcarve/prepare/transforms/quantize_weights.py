"""quantize_weights: replaces large float constants with quantized constants and a Dequantize.

Source: tensorflow/tools/graph_transforms/quantize_weights.cc. Unlike TensorFlow's tool, it uses the actual range of a
tensor with only zeros or only negative values, and does not change a tensor with a value that is not finite.
"""

from tfcarve.errors import InvalidInput
from tfcarve.prepare import nodes
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph, Ref, by_name, unique_name
from tfcarve.prepare.messages import NodeDef
from tfcarve.prepare.quantization import QuantizedTensor, constants, dequantize

PARAMETERS = frozenset(("minimum_size",))
IN_FUNCTIONS = True

_SUFFIXES = ("_quantized_const", "_quantized_min", "_quantized_max")


def apply(graph: Graph, context: Context) -> Graph:
    """Quantizes constants; raises InvalidInput if one is damaged."""
    minimum = context.parameters.integer("minimum_size", 1024)
    if minimum < 1:
        raise InvalidInput(f"quantize_weights: minimum_size={minimum}: expected 1 or more")
    fed = context.input_nodes()
    taken = set(by_name(graph))
    listed: list[NodeDef] = []
    for node in graph.nodes:
        is_float = node.op == "Const" and nodes.tensor(node).dtype == nodes.FLOAT
        created = None
        if is_float and node.name not in fed and nodes.value(node).size >= minimum:
            values, low, high = (unique_name(f"{node.name}{s}", taken) for s in _SUFFIXES)
            created = constants(node, (values, low, high))
        if created is None:
            listed.append(node)
            continue
        listed += created
        listed.append(
            dequantize(node.name, QuantizedTensor(*(Ref(constant.name) for constant in created)))
        )
    return graph.with_nodes(listed)
