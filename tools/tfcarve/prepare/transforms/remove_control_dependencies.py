"""remove_control_dependencies: removes all control inputs.

Source: tensorflow/tools/graph_transforms/remove_control_dependencies.cc.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph, data_inputs, set_inputs

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True


def apply(graph: Graph, context: Context) -> Graph:  # noqa: ARG001
    """Removes control inputs."""
    for node in graph.nodes:
        set_inputs(node, data_inputs(node))
    return graph
