"""inline_partitionedcall: replaces function calls with the nodes of the function's body.

Source: tensorflow/tools/graph_transforms/inline_partitionedcall.cc. Unlike TensorFlow's tool, it inlines
StatefulPartitionedCall and nested calls too, preserves control dependencies and side effects, and removes unused
functions.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.inlined_size import check_inlined_size
from tfcarve.prepare.control_flow.inlining import Call, inlined
from tfcarve.prepare.graph import functions
from tfcarve.prepare.graph.graph import Graph, data_inputs
from tfcarve.prepare.graph.messages import NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))


def _called(node: NodeDef) -> tuple[str, ...]:
    """Returns the name of the function that a node calls, if it is a call to inline."""
    return (node.attr["f"].func.name,) if node.op in _CALLS and "f" in node.attr else ()


def _call(node: NodeDef) -> Call | None:
    return Call(node.attr["f"].func, data_inputs(node)) if _called(node) else None


def apply(graph: Graph, context: Context) -> Graph:
    """Inlines calls; raises InvalidInput if a function does not exist or calls itself, or the graph becomes too large."""
    check_inlined_size(graph.nodes, graph.library.function, _called)
    while any(map(_called, graph.nodes)):
        graph = inlined(graph, context, _call)
    return Graph(graph.nodes, functions.used_functions(graph), graph.versions)
