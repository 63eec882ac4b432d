"""remove_training_nodes: removes nodes that only training or checks need.

Not in TensorFlow's tool. StopGradient, PreventGradient, CheckNumerics and IdentityN (which custom gradients use) are
replaced with their inputs. An Assert or Print, a branch with nothing else, and the bool in which such branches merge
are removed with the control inputs from them. Leftover training nodes (selection/leftover_ops.yaml) are removed by
strip_unused_nodes when no control inputs refer to them.
"""

from collections.abc import Mapping

from tfcarve.prepare import nodes
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import (
    CONTROL,
    Graph,
    Ref,
    control_inputs,
    data_inputs,
    ref,
    set_inputs,
    topological_order,
)
from tfcarve.prepare.messages import NodeDef, OpDef
from tfcarve.prepare.transforms.remove_nodes import first_inputs, removable, remove

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True

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
    found -= preserved
    read: dict[str, set[str]] = {}
    for node in graph.nodes:
        for source in data_inputs(node):
            read.setdefault(source.node, set()).add(node.name)
    todo = [name for name in found if not read.get(name, set()) <= found]
    inputs = {node.name: data_inputs(node) for node in graph.nodes}
    while todo:  # a node with other readers must stay, and so must its inputs
        name = todo.pop()
        if name in found:
            found.discard(name)
            todo += [source.node for source in inputs[name]]
    return found


def _without_checks(graph: Graph, preserved: set[str], op_defs: Mapping[str, OpDef]) -> Graph:
    """Removes checks, NoOps that depend only on checks, and the control inputs from both."""
    removed = _checks(graph, preserved, op_defs)
    for node in topological_order(graph):
        inputs = [ref(text).node for text in node.input]
        if (
            node.op == "NoOp"
            and inputs
            and node.name not in preserved
            and removed.issuperset(inputs)
        ):
            removed.add(node.name)
    listed = [node for node in graph.nodes if node.name not in removed]
    for node in listed:
        sources = [ref(text) for text in node.input]
        left = [s for s in sources if s.output != CONTROL or s.node not in removed]
        if len(left) < len(sources):
            set_inputs(node, left)
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
