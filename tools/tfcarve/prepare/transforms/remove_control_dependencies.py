"""remove_control_dependencies: no node waits for another any more.

Source: tensorflow/tools/graph_transforms/remove_control_dependencies.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph, data_inputs, set_inputs

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True


def apply(graph: Graph, context: Context) -> Graph:  # noqa: ARG001
    """Returns the graph without control inputs."""
    for node in graph.nodes:
        set_inputs(node, data_inputs(node))
    return graph
