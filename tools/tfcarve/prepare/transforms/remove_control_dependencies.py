"""remove_control_dependencies: removes control inputs.

Source: tensorflow/tools/graph_transforms/remove_control_dependencies.cc. Unlike TensorFlow's tool, it keeps a control
input that determines whether, or in which loop, a node runs: without these, TensorFlow rejects the graph or computes
another result.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.graph.graph import Graph, topological_order

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False


def apply(graph: Graph, context: Context) -> Graph:  # noqa: ARG001
    """Removes control inputs; raises InvalidInput if a Switch is damaged."""
    liveness = Liveness(topological_order(graph))
    for node in graph.nodes:
        liveness.set_needed_control_inputs(node)
    return graph
