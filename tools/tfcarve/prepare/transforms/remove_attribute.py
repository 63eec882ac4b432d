"""remove_attribute: removes an attribute from all nodes or the nodes of one op.

Source: tensorflow/tools/graph_transforms/remove_attribute.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset(("attribute_name", "op_name"))
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = True

_EXAMPLE = "remove_attribute(attribute_name=_output_shapes)"


def apply(graph: Graph, context: Context) -> Graph:
    """Removes the attribute; raises InvalidInput if none or several are named."""
    context.parameters.required("attribute_name", _EXAMPLE)
    name, op = context.parameters.one("attribute_name"), context.parameters.one("op_name", "*")
    for node in graph.nodes:
        if op in ("*", node.op) and name in node.attr:
            del node.attr[name]
    return graph
