"""rename_attribute: renames an attribute of all nodes or the nodes of one op.

Source: tensorflow/tools/graph_transforms/rename_attribute.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset(("new_attribute_name", "old_attribute_name", "op_name"))
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = True

_EXAMPLE = "rename_attribute(old_attribute_name=a, new_attribute_name=b)"


def apply(graph: Graph, context: Context) -> Graph:
    """Renames the attribute; raises InvalidInput if a name is missing or given twice."""
    parameters = context.parameters
    parameters.required("old_attribute_name", _EXAMPLE)
    parameters.required("new_attribute_name", _EXAMPLE)
    old, new = parameters.one("old_attribute_name"), parameters.one("new_attribute_name")
    op = parameters.one("op_name", "*")
    for node in graph.nodes:
        if op in ("*", node.op) and old in node.attr and old != new:
            node.attr[new].CopyFrom(node.attr[old])
            del node.attr[old]
    return graph
