"""sort_by_execution_order: sorts nodes so that each one comes after its inputs.

Source: SortByExecutionOrder in tensorflow/tools/graph_transforms/transform_utils.cc, which sorts in this order too: the node that
became ready last comes first, and a Merge is ready with its first data input.
"""

from tfcarve.control_flow import MERGES
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph, by_name, control_inputs, ref

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False


def apply(graph: Graph, context: Context) -> Graph:  # noqa: ARG001
    """Sorts the nodes."""
    nodes = by_name(graph)
    pending: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    ready: list[str] = []
    for node in graph.nodes:
        count = len(control_inputs(node)) + 1 if node.op in MERGES else len(node.input)
        pending[node.name] = count
        if not node.input:
            ready.append(node.name)
        for text in node.input:
            users.setdefault(ref(text).node, []).append(node.name)
    order = []
    while ready:
        name = ready.pop()
        order.append(nodes[name])
        for user in users.get(name, ()):
            pending[user] -= 1
            if not pending[user]:
                ready.append(user)
    return graph.with_nodes(order)
