"""set_device: sets the device of all nodes, or of nodes without one.

Source: tensorflow/tools/graph_transforms/set_device.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset(("device", "if_default"))
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False


def apply(graph: Graph, context: Context) -> Graph:
    """Sets the device; raises InvalidInput if a parameter is invalid."""
    device = context.parameters.one("device")
    only_if_unset = context.parameters.boolean("if_default", False)
    for node in graph.nodes:
        if not (only_if_unset and node.device):
            node.device = device
    return graph
