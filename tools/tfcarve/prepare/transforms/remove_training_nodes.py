"""remove_training_nodes: what only training or checking needs goes; what it passes on stays.

Ours. StopGradient, PreventGradient, CheckNumerics and IdentityN, which carries a gradient of its own, give their input. An Assert or Print, a branch that does nothing
else, and the truth value in which such branches meet give nothing that is read: what waits for them waits no longer.
What a selection calls left over (selection/leftover_ops.yaml) goes with strip_unused_nodes once nothing waits for it.
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
_MOST_INPUTS = 1 << 16


def _checking_functions(graph: Graph, op_defs: Mapping[str, OpDef]) -> set[str]:
    """Returns the names of the functions that do nothing but check, or nothing at all."""
    found: set[str] = set()
    for function in graph.library.function:
        stateful = [
            n for n in function.node_def if n.op not in op_defs or op_defs[n.op].is_stateful
        ]
        if all(node.op in _CHECKS for node in stateful):
            found.add(function.signature.name)
    return found


def _calls_only(node: NodeDef, functions: set[str]) -> bool:
    called = [value.func.name for value in node.attr.values() if value.HasField("func")]
    called += [f.name for value in node.attr.values() for f in value.list.func]
    return node.op in _CALLS and bool(called) and functions.issuperset(called)


def _checks(graph: Graph, kept: set[str], op_defs: Mapping[str, OpDef]) -> set[str]:
    """Returns the names of the nodes that check, and of the truth values in which their branches meet."""
    functions = _checking_functions(graph, op_defs)
    base = {node.name for node in graph.nodes if node.op in _CHECKS or _calls_only(node, functions)}
    near = base | {n.name for n in graph.nodes if not base.isdisjoint(control_inputs(n))}
    found = base | {
        node.name
        for node in graph.nodes
        if node.op in ("Identity", "Merge") and nodes.dtype(node) == _BOOL
        if any(source.node in near for source in data_inputs(node))
    }
    found -= kept
    read: dict[str, set[str]] = {}
    for node in graph.nodes:
        for source in data_inputs(node):
            read.setdefault(source.node, set()).add(node.name)
    todo = [name for name in found if not read.get(name, set()) <= found]
    inputs = {node.name: data_inputs(node) for node in graph.nodes}
    while todo:  # what is read must stay, and so what it reads
        name = todo.pop()
        if name in found:
            found.discard(name)
            todo += [source.node for source in inputs[name]]
    return found


def _without_waits(graph: Graph, kept: set[str], op_defs: Mapping[str, OpDef]) -> Graph:
    """Returns the graph without checks; nothing waits for them, or for a NoOp that waits for them alone."""
    gone = _checks(graph, kept, op_defs)
    for node in topological_order(graph):
        waits = [ref(text).node for text in node.input]
        if node.op == "NoOp" and waits and node.name not in kept and gone.issuperset(waits):
            gone.add(node.name)
    listed = [node for node in graph.nodes if node.name not in gone]
    for node in listed:
        sources = [ref(text) for text in node.input]
        left = [s for s in sources if s.output != CONTROL or s.node not in gone]
        if len(left) < len(sources):
            set_inputs(node, left)
    return graph.with_nodes(listed)


def apply(graph: Graph, context: Context) -> Graph:
    """Returns the graph without them; inputs and outputs stay."""
    kept = context.kept()
    checked = _without_waits(graph, kept, context.evaluator.op_defs)
    gone = removable(checked, _PASS_THROUGH, 1, kept)
    several = removable(checked, frozenset(("IdentityN",)), _MOST_INPUTS, kept)
    passed = {
        Ref(name, place): source
        for name, node in several.items()
        for place, source in enumerate(data_inputs(node))
    }
    return remove(checked, gone | several, first_inputs(gone) | passed)
