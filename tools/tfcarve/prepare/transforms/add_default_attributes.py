"""add_default_attributes: attributes that a node does not have are set to the defaults of its op.

Source: tensorflow/tools/graph_transforms/add_default_attributes.cc, AddDefaultsToNodeDef in
tensorflow/core/framework/node_def_util.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True


def apply(graph: Graph, context: Context) -> Graph:
    """Returns the graph with all defaults; custom ops, whose defaults are not known, stay as they are."""
    op_defs = context.evaluator.op_defs
    for node in graph.nodes:
        for attr in op_defs[node.op].attr if node.op in op_defs else ():
            if attr.HasField("default_value") and attr.name not in node.attr:
                node.attr[attr.name].CopyFrom(attr.default_value)
    return graph
