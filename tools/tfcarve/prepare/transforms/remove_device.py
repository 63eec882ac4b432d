"""remove_device: removes the device of all nodes.

Source: tensorflow/tools/graph_transforms/remove_device.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False


def apply(graph: Graph, context: Context) -> Graph:  # noqa: ARG001
    """Removes devices."""
    for node in graph.nodes:
        node.device = ""
    return graph
