"""simplify_control_dependencies: removes control inputs that have no effect from nodes without side effects.

Not in TensorFlow's tool; tensorflow/core/grappler/optimizers/dependency_optimizer.cc does a part of it in a session. A
control input stays if its node, or any node before that node, has side effects, or if it determines whether, or in which
frame, the node runs.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    data_inputs,
    ref,
    rewire,
    topological_order,
)
from tfcarve.prepare.graph.messages import NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_SOURCES = ("Const", "Placeholder")


def _with_effects(order: list[NodeDef], context: Context) -> set[str]:
    """Returns the names of the nodes that have side effects or depend on a node that has."""
    op_defs = context.evaluator.op_defs
    found: set[str] = set()
    for node in order:
        op = op_defs.get(node.op)
        own = op is None or op.is_stateful
        if (own and not node.op.startswith(_SOURCES)) or any(
            ref(text).node in found for text in node.input
        ):
            found.add(node.name)
    return found


def _without_relays(graph: Graph, preserved: set[str]) -> Graph:
    """Replaces NoOps with a single control input by that control input."""
    read = {source.node for node in graph.nodes for source in data_inputs(node)}
    relays = {
        node.name: Ref(node.input[0][1:], CONTROL)
        for node in graph.nodes
        if node.op == "NoOp"
        and len(node.input) == 1
        and node.input[0].startswith("^")
        and node.name not in preserved | read
    }
    left = [node for node in graph.nodes if node.name not in relays]
    rewire(left, {Ref(name, CONTROL): source for name, source in relays.items()})
    return graph.with_nodes(left)


def apply(graph: Graph, context: Context) -> Graph:
    """Removes redundant control inputs."""
    preserved = context.preserved()
    simple = _without_relays(graph, preserved)
    order = topological_order(simple)
    effects = _with_effects(order, context)
    liveness = Liveness(order)
    for node in order:
        if node.op != "NoOp" and _is_pure(node, context):
            liveness.set_needed_control_inputs(node, effects)
    return simple


def _is_pure(node: NodeDef, context: Context) -> bool:
    op = context.evaluator.op_defs.get(node.op)
    return op is not None and not op.is_stateful
