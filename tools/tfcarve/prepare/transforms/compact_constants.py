"""compact_constants: a constant whose values are all the same is written as one.

Ours; the form is that of tensorflow/core/framework/tensor.cc (Tensor::FromProto), which all readers know.
"""

from tfcarve.prepare import nodes, tensors
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True

# Smaller ones gain nothing.
_SMALL = 64


def apply(graph: Graph, context: Context) -> Graph:  # noqa: ARG001
    """Returns the graph with such constants; raises InvalidInput where one is damaged."""
    for node in graph.nodes:
        if node.op != "Const" or node.ByteSize() < _SMALL:
            continue
        tensor = nodes.tensor(node)
        if tensors.has_numbers(tensor.dtype) and tensor.tensor_content:
            made = tensors.from_array(nodes.value(node), tensor.dtype)
            if made.ByteSize() < tensor.ByteSize():
                tensor.CopyFrom(made)
    return graph
