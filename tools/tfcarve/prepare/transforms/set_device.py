"""set_device: all nodes, or those that don't say, are to run on one device.

Source: tensorflow/tools/graph_transforms/set_device.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph

PARAMETERS = frozenset(("device", "if_default"))
IN_FUNCTIONS = True


def apply(graph: Graph, context: Context) -> Graph:
    """Returns the graph with the device; raises InvalidInput where a parameter is wrong."""
    device = context.parameters.one("device")
    only_if_unset = context.parameters.truth("if_default", False)
    for node in graph.nodes:
        if not (only_if_unset and node.device):
            node.device = device
    return graph
