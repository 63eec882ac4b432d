"""add_default_attributes: sets missing attributes to the defaults of their op.

Source: tensorflow/tools/graph_transforms/add_default_attributes.cc, AddDefaultsToNodeDef in
tensorflow/core/framework/node_def_util.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False


def apply(graph: Graph, context: Context) -> Graph:
    """Sets all defaults; custom ops, whose defaults are unknown, are not changed."""
    op_defs = context.evaluator.op_defs
    for node in graph.nodes:
        for attr in op_defs[node.op].attr if node.op in op_defs else ():
            if attr.HasField("default_value") and attr.name not in node.attr:
                node.attr[attr.name].CopyFrom(attr.default_value)
    return graph
