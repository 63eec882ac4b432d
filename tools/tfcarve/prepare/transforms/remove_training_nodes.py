"""remove_training_nodes: removes nodes that only training or checks need.

Not in TensorFlow's tool. StopGradient, PreventGradient, CheckNumerics and IdentityN (which custom gradients use) are
replaced with their inputs. An Assert or Print, a branch with nothing else, and the bool in which such branches merge
are removed with the control inputs from them. A node that such a control input puts into a loop or a branch gets another
one in its place. Leftover training nodes (selection/leftover_ops.yaml) are removed by
strip_unused_nodes when no control inputs refer to them.
"""

from collections.abc import Mapping, Sequence

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    control_inputs,
    data_inputs,
    reachable,
    ref,
    set_inputs,
    topological_order,
)
from tfcarve.prepare.graph.messages import NodeDef, OpDef
from tfcarve.prepare.transforms.remove_nodes import first_inputs, removable, remove

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_PASS_THROUGH = frozenset(
    (
        "CheckNumerics",
        "CheckNumericsV2",
        "PlaceholderWithDefault",
        "PreventGradient",
        "StopGradient",
    )
)
_CHECKS = frozenset(("Assert", "Print", "PrintV2"))
_CALLS = frozenset(("Case", "If", "PartitionedCall", "StatefulPartitionedCall", "StatelessIf"))
_BOOL = 10
_MAX_INPUTS = 1 << 16


def _checking_functions(graph: Graph, op_defs: Mapping[str, OpDef]) -> set[str]:
    """Returns the names of the functions without side effects other than checks."""
    found: set[str] = set()
    for function in graph.library.function:
        stateful = [
            n for n in function.node_def if n.op not in op_defs or op_defs[n.op].is_stateful
        ]
        if all(node.op in _CHECKS for node in stateful):
            found.add(function.signature.name)
    return found


def _calls_only_checks(node: NodeDef, functions: set[str]) -> bool:
    called = [value.func.name for value in node.attr.values() if value.HasField("func")]
    called += [f.name for value in node.attr.values() for f in value.list.func]
    return node.op in _CALLS and bool(called) and functions.issuperset(called)


def _checks(graph: Graph, preserved: set[str], op_defs: Mapping[str, OpDef]) -> set[str]:
    """Returns the names of the nodes that only check, and of the bools in which their branches merge."""
    functions = _checking_functions(graph, op_defs)
    base = {
        node.name
        for node in graph.nodes
        if node.op in _CHECKS or _calls_only_checks(node, functions)
    }
    near = base | {n.name for n in graph.nodes if not base.isdisjoint(control_inputs(n))}
    found = base | {
        node.name
        for node in graph.nodes
        if node.op in ("Identity", "Merge") and nodes.dtype(node) == _BOOL
        if any(source.node in near for source in data_inputs(node))
    }
    return _without_read(found - preserved, graph)


def _without_read(found: set[str], graph: Graph) -> set[str]:
    """Returns the nodes that only nodes in the result read. A node with other readers must stay, and so must its inputs."""
    read: dict[str, set[str]] = {}
    for node in graph.nodes:
        for source in data_inputs(node):
            read.setdefault(source.node, set()).add(node.name)
    left = set(found)
    inputs = {node.name: data_inputs(node) for node in graph.nodes}
    todo = [name for name in found if not read.get(name, set()) <= found]
    while todo:
        name = todo.pop()
        if name in left:
            left.discard(name)
            todo += [source.node for source in inputs[name]]
    return left


def _with_noops(removed: set[str], order: Sequence[NodeDef], preserved: set[str]) -> set[str]:
    """Returns the nodes `removed` with the NoOps that depend only on them."""
    found = set(removed)
    for node in order:
        inputs = [ref(text).node for text in node.input]
        if node.op == "NoOp" and inputs and node.name not in preserved and found.issuperset(inputs):
            found.add(node.name)
    return found


def _inputs_without(
    removed: set[str], order: Sequence[NodeDef], liveness: Liveness
) -> tuple[dict[str, list[Ref]], set[str]]:
    """Returns the new inputs of the other nodes with control inputs from nodes `removed`.

    Also returns the nodes that must stay, because without them another node would run in another loop or branch.
    """
    changed: dict[str, list[Ref]] = {}
    needed: set[str] = set()
    for node in order:
        sources = [ref(text) for text in node.input]
        lost = [s for s in sources if s.output == CONTROL and s.node in removed]
        if node.name in removed or not lost:
            continue
        left = [s for s in sources if s not in lost]
        instead = liveness.stand_ins(lost, left, removed)
        if instead is None:
            needed.update(source.node for source in lost)
        else:
            changed[node.name] = [*left, *(Ref(name, CONTROL) for name in instead)]
    return changed, needed


def _without_checks(graph: Graph, preserved: set[str], op_defs: Mapping[str, OpDef]) -> Graph:
    """Removes checks, NoOps that depend only on checks, and the control inputs from both."""
    order = topological_order(graph)
    liveness = Liveness(order)
    checks = _checks(graph, preserved, op_defs)
    while True:
        removed = _with_noops(checks, order, preserved)
        changed, needed = _inputs_without(removed, order, liveness)
        if not needed:
            break
        checks = _without_read(checks - reachable(graph, needed), graph)
    listed = [node for node in graph.nodes if node.name not in removed]
    for node in listed:
        if node.name in changed:
            set_inputs(node, changed[node.name])
    return graph.with_nodes(listed)


def apply(graph: Graph, context: Context) -> Graph:
    """Removes training nodes, except inputs and outputs."""
    preserved = context.preserved()
    checked = _without_checks(graph, preserved, context.evaluator.op_defs)
    removed = removable(checked, _PASS_THROUGH, 1, preserved)
    several = removable(checked, frozenset(("IdentityN",)), _MAX_INPUTS, preserved)
    replacements = {
        Ref(name, index): source
        for name, node in several.items()
        for index, source in enumerate(data_inputs(node))
    }
    return remove(checked, removed | several, first_inputs(removed) | replacements)
