"""remove_device: no node says on which device it is to run.

Source: tensorflow/tools/graph_transforms/remove_device.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True


def apply(graph: Graph, context: Context) -> Graph:  # noqa: ARG001
    """Returns the graph without devices."""
    for node in graph.nodes:
        node.device = ""
    return graph
