"""Replaces conditions with a constant predicate with the branch that runs. Pure."""

from collections.abc import Mapping
from typing import Any

from tfcarve.control_flow import ALL_SWITCHES, MERGES
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow import predicates
from tfcarve.prepare.control_flow.dead_branches import Branches
from tfcarve.prepare.control_flow.inlined_size import check_inlined_size
from tfcarve.prepare.control_flow.inlining import Call, inlined
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, by_name, data_inputs, ref
from tfcarve.prepare.graph.messages import NodeDef

# Ops whose outputs have the value of the first input, if they have a value.
_PASS_THROUGH = frozenset(("Enter", "Exit", "Identity", "Switch", "_SwitchN"))
_MAX_DEPTH = 100


class _Constants:
    """The constant scalars of a graph, including scalars that control flow passes on."""

    def __init__(self, graph: Graph, context: Context) -> None:
        self._nodes = by_name(graph)
        self._fed = context.input_nodes()

    def scalar(self, text: str, depth: int = _MAX_DEPTH) -> Any | None:
        """Returns the value of a scalar, or None if it is not constant."""
        name = ref(text).node
        while name not in self._fed and self._nodes[name].op in _PASS_THROUGH:
            if not (sources := data_inputs(self._nodes[name])):
                return None
            name = sources[0].node
        node = self._nodes[name]
        if name in self._fed or not depth:
            return None
        if node.op == "Const":
            return None if nodes.shape(node) else nodes.value(node).item()
        return predicates.logical(node, lambda source: self.scalar(source, depth - 1))


def _undecided(graph: Graph, taken: Mapping[str, int], context: Context) -> set[str]:
    """Returns the Switches of `taken` that must stay, because an output needs one of their tensors or has no value."""
    known = by_name(graph)
    branches = Branches(graph.nodes, taken)
    found: set[str] = set()
    for source in context.output_refs():
        op = known[source.node].op
        if op in ALL_SWITCHES or (op in MERGES and source.output) or branches.is_dead(source):
            found |= branches.deciding(source.node)
    return found


def _without_switches(graph: Graph, context: Context) -> Graph:
    taken = dict(predicates.taken(graph.nodes, _Constants(graph, context).scalar))
    while undecided := _undecided(graph, taken, context) & taken.keys():
        taken = {name: number for name, number in taken.items() if name not in undecided}
    return graph.with_nodes(Branches(graph.nodes, taken).pruned()[0]) if taken else graph


def _without_ifs(graph: Graph, context: Context) -> Graph:
    constants = _Constants(graph, context)
    called = {
        node.name: function
        for node in graph.nodes
        if (function := predicates.branch(node, constants.scalar)) is not None
    }
    if not called:
        return graph
    check_inlined_size(
        graph.nodes, graph.library.function, lambda n: (f.name for f in predicates.branches(n))
    )

    def call_of(node: NodeDef) -> Call | None:
        function = called.get(node.name)
        if function is None:
            return None
        selector = nodes.dtype(node, "Tcond") or nodes.INT32  # a Case has an int32
        return Call(function, data_inputs(node)[1:], selector)

    return inlined(graph, context, call_of)


def without_constant_conditions(graph: Graph, context: Context) -> Graph:
    """Returns `graph` without conditions with a constant predicate; `graph` itself if it has none.

    A condition stays if an output is in its branch that does not run.

    Raises InvalidInput if a function does not exist or is damaged, or the graph becomes too large.
    """
    return _without_ifs(_without_switches(graph, context), context)
