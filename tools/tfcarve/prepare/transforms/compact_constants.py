"""compact_constants: stores a constant with one repeated value as that value.

Not in TensorFlow's tool. Source of the format: Tensor::FromProto in tensorflow/core/framework/tensor.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import nodes, tensors
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

# Smaller nodes gain nothing.
_MIN_SIZE = 64


def apply(graph: Graph, context: Context) -> Graph:  # noqa: ARG001
    """Compacts constants; raises InvalidInput if one is damaged."""
    for node in graph.nodes:
        if node.op != "Const" or node.ByteSize() < _MIN_SIZE:
            continue
        tensor = nodes.tensor(node)
        if tensors.has_numbers(tensor.dtype) and tensor.tensor_content:
            created = tensors.from_array(nodes.value(node), tensor.dtype)
            if created.ByteSize() < tensor.ByteSize():
                tensor.CopyFrom(created)
    return graph
