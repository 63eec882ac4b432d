"""Finds the nodes of a model that are left over from its training. Pure.

Leftovers are sinks, nodes that only lead to sinks, and control dependents of sinks. Sinks are nodes with certain ops
(leftover_ops.yaml), such as Assert and SaveV2. No output depends on a leftover by data: all consumers of its values are leftovers too. A node that may be needed is not a
leftover. For example, an op in a loop may be needed, and so may an op that changes a variable if the same step reads the
variable. If a file does not declare its outputs (a GraphDef), any node without consumers may be an output. Then the
leftovers are only the sinks, constants, and the bool values that an Assert tests.

A hostile model may try to make the search slow: each search here visits an edge of the graph at most a few times.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.signature_def import node_of
from tfcarve.selection.control_dependents import NeededDependents
from tfcarve.selection.graph import Graph, Pending, closure, control_inputs, data_inputs
from tfcarve.selection.leftover_kinds import Kind, Kinds
from tfcarve.selection.side_effects import Calls, OpFacts, SideEffects

# The function of a node (empty: the graph itself), and its name.
Place = tuple[str, str]


class _Search:
    """The search in one graph or function: `found` grows backwards from the sinks.

    A node that no output depends on does not keep its inputs, unless it must run before a needed node. Only a finished
    search tells which nodes are needed. With `careful`, each node that could be needed counts as needed.
    """

    def __init__(
        self,
        uses: Iterable[NodeUse],
        outputs: frozenset[str] | None,
        effects: SideEffects,
        careful: bool = False,
    ) -> None:
        self.found: dict[str, Kind] = {}
        self._graph = Graph(uses)
        self._outputs = outputs or frozenset()
        self._outputs_known = outputs is not None
        self._effects = effects
        self._unused = self._find_unused() if self._outputs_known else frozenset[str]()
        if careful:
            self._unused -= self._waited_for()
        self._todo: deque[tuple[Kind, NodeUse]] = deque()
        # For each blocker, the sinks that become leftovers only when the blocker is found; see _blocker.
        self._blocked: dict[tuple[str, str], list[tuple[Kind, NodeUse]]] = {}
        self._needed: dict[str, NeededDependents] = {}  # by kind
        self._pending = Pending()

    def search(self, kinds: Sequence[Kind]) -> None:
        """Finds all leftovers."""
        for kind in kinds:
            sinks = self._sinks(kind)
            if kind.effect and sinks:
                self._needed[kind.id] = self._needed_dependents(sinks, kind)
            self._todo += [(kind, use) for use in sinks]
        while self._todo:
            kind, use = self._todo.popleft()
            if use.node in self.found:
                continue
            blocker = self._blocker(use, kind)
            if blocker is None:
                self._add_sink(use, kind)
            else:
                self._blocked.setdefault(blocker, []).append((kind, use))
        for kind in kinds:
            if kind.unread:
                unread = self._unused - self.found.keys() - self._waited_for()
                self.found.update(dict.fromkeys(sorted(unread), kind))

    def breaks_needed_nodes(self) -> bool:
        """Returns whether a node that is not a leftover takes the value of a leftover."""
        return any(
            consumer not in self.found
            for name in self.found
            for consumer in self._graph.consumers.get(name, ())
        )

    def _find_unused(self) -> frozenset[str]:
        """Returns the pure nodes that no output depends on, if the outputs are known."""
        consumers = {name: len(self._graph.consumers.get(name, ())) for name in self._graph.nodes}
        unused: set[str] = set()
        todo = [node for node, count in consumers.items() if not count]
        while todo:
            use = self._graph.nodes[todo.pop()]
            if use.node in self._outputs or use.op == "NoOp" or not self._effects.is_pure(use):
                continue
            unused.add(use.node)
            for name in data_inputs(use):
                if name in consumers:
                    consumers[name] -= 1
                    if not consumers[name]:
                        todo.append(name)
        return frozenset(unused)

    def _waited_for(self) -> set[str]:
        """Returns the nodes that run before a needed node because of a control edge, and all nodes before them."""
        nodes = self._graph.nodes
        needed = (
            use
            for use in nodes.values()
            if use.op != "NoOp" and use.node not in self.found and use.node not in self._unused
        )
        return closure(
            (name for use in needed for name in control_inputs(use)),
            lambda name: self._graph.predecessors(name) if name in nodes else (),
        )

    def _sinks(self, kind: Kind) -> list[NodeUse]:
        """Returns the nodes that may be sinks of a kind."""
        uses = self._graph.nodes.values()
        sinks = [use for use in uses if self._effects.is_sink(use, kind)]
        if kind.guarded:
            names = {use.node for use in sinks}
            near = names.union(*(self._graph.control_dependents.get(name, ()) for name in names))
            sinks += [use for use in uses if self._is_merge_of_branches(use, near)]
        if kind.sources or kind.excluded_sources:
            reading = self._depending_on(kind.sources)
            excluded = self._depending_on(kind.excluded_sources)

            def has_right_sources(use: NodeUse) -> bool:
                tensors = [t for t in use.inputs if not t.startswith("^")]
                inputs = set(map(node_of, tensors[1:]))  # the first one is written to
                return excluded.isdisjoint(inputs) and not (
                    kind.sources and reading.isdisjoint(inputs)
                )

            sinks = [use for use in sinks if use.op not in kind.sinks or has_right_sources(use)]
        return [use for use in sinks if use.node not in self._outputs]

    def _is_merge_of_branches(self, use: NodeUse, near: set[str]) -> bool:
        """Returns whether the branches of a guarded sink meet in a node: a bool with control dependents only.

        `near` contains the sinks and their control dependents.
        """
        dtype = use.attrs.get("T")
        if use.op not in ("Identity", "Merge") or dtype is None or dtype.value != "bool":
            return False
        graph = self._graph
        if use.node in graph.consumers or use.node not in graph.control_dependents:
            return False
        return any(node_of(tensor) in near for tensor in use.inputs)

    def _depending_on(self, ops: frozenset[str]) -> set[str]:
        """Returns the nodes of `ops`, and all nodes whose values depend on one."""
        roots = [use.node for use in self._graph.nodes.values() if use.op in ops]
        return self._graph.data_dependents(roots)

    def _needed_dependents(self, sinks: Sequence[NodeUse], kind: Kind) -> NeededDependents:
        """Returns the control dependents of `sinks` that may be needed.

        These are outputs, nodes without consumers, and nodes with side effects that do not belong to the kind.
        """
        inputs = {use.node: set(data_inputs(use)) for use in sinks}
        own = kind.sinks | kind.after | {"NoOp"}

        def belongs(use: NodeUse) -> bool:
            if (
                use.op == "Identity" and use.op in own
            ):  # it returns an input of a sink on which it depends
                return any(
                    inputs[sink].issuperset(data_inputs(use))
                    for sink in control_inputs(use)
                    if sink in inputs
                )
            return use.op in own

        def may_be_needed(use: NodeUse) -> bool:
            pure = use.node in self._graph.consumers and self._effects.is_pure(use)
            return use.node in self._outputs or not (pure or belongs(use))

        return NeededDependents(self._graph, sinks, may_be_needed)

    def _consumer(self, name: str) -> str | None:
        """Returns a consumer of a node's value that is not a leftover, or None."""
        return self._pending.first(
            name,
            lambda: self._graph.consumers.get(name, ()),
            lambda r: r in self.found or r in self._unused,
        )

    def _blocker(self, use: NodeUse, kind: Kind) -> tuple[str, str] | None:
        """Returns a node that prevents a sink from being a leftover, or None.

        The result is (kind id, node). With a kind id, the node blocks as long as it is a needed dependent of the kind's
        sinks. With an empty id, the node blocks until it is a leftover itself.
        """
        graph = self._graph
        consumer = self._consumer(use.node)
        if consumer is None and kind.handle and use.inputs:
            name = node_of(use.inputs[0])
            consumer = self._pending.first(
                ("handle", kind.id, name),
                lambda: graph.consumers.get(name, ()),
                lambda r: r in self.found or graph.nodes[r].op in kind.sinks,
            )
        if consumer is not None:
            return "", consumer
        if kind.effect:
            needed = self._needed[kind.id]
            dependent = self._pending.first(
                ("dependent", kind.id, use.node),
                lambda: graph.control_dependents.get(use.node, ()),
                lambda w: w not in needed,
            )
            if dependent is not None:
                return kind.id, dependent
        return None

    def _add(self, name: str, kind: Kind) -> None:
        """Adds a leftover; the sinks that the node blocked are examined again."""
        self.found[name] = kind
        self._todo += self._blocked.pop(("", name), ())
        for kind_id, needed in self._needed.items():
            for dropped in needed.drop(name):
                self._todo += self._blocked.pop((kind_id, dropped), ())

    def _add_sink(self, use: NodeUse, kind: Kind) -> None:
        for name in [use.node, *(self._dependents(use) if kind.effect else ())]:
            self._add(name, kind)
            self._add_upstream(self._graph.nodes[name], kind)

    def _dependents(self, use: NodeUse) -> Iterable[str]:
        """Returns the control dependents of a sink, and all nodes that depend on the dependents."""
        dependents: dict[str, None] = {}
        todo = list(self._graph.control_dependents.get(use.node, ()))
        while todo:
            name = todo.pop()
            if name not in self.found and name not in dependents:
                dependents[name] = None
                todo += self._graph.successors(name)
        return dependents

    def _add_upstream(self, use: NodeUse, kind: Kind) -> None:
        todo = data_inputs(use)
        while todo:
            node = self._graph.nodes.get(todo.pop())
            if node is None or node.node in self.found or node.node in self._outputs:
                continue
            if self._consumer(node.node) is not None or self._may_be_output(node, kind):
                continue
            if self._effects.is_pure(node):
                self._add(node.node, kind)
                todo += data_inputs(node)

    def _may_be_output(self, use: NodeUse, kind: Kind) -> bool:
        """Returns whether a program may fetch the node though nothing declares it as an output."""
        if self._outputs_known or (kind.guarded and self._effects.returns_bool(use.op)):
            return False
        return use.node in self._varying

    @cached_property
    def _varying(self) -> set[str]:
        """The nodes whose values do not depend on constants alone."""
        nodes = self._graph.nodes
        roots = [
            use.node
            for use in nodes.values()
            if use.op.startswith("Placeholder") or (use.op != "Const" and not data_inputs(use))
        ]
        undefined = self._graph.consumers.keys() - nodes.keys()
        return self._graph.data_dependents([*roots, *undefined])


def leftovers(
    model: Model, uses: Sequence[NodeUse], kinds: Kinds, facts: OpFacts
) -> dict[Place, Kind]:
    """Finds the leftovers of a model.

    Args:
      model: the model, for its functions and outputs.
      uses: its nodes that can run.
      kinds: the kinds to find.
      facts: properties of ops.

    Returns:
      The kind of each leftover, by function and name; includes the nodes of functions that only leftovers call.
    """
    if not any(use.op in kinds.all_sinks for use in uses):
        return {}
    grouped: dict[str, list[NodeUse]] = {}
    for use in uses:
        grouped.setdefault(use.function, []).append(use)
    calls = Calls(uses, model.functions)
    effects = SideEffects(calls, kinds, facts)

    found: dict[Place, Kind] = {}
    for name, body in grouped.items():
        outputs = (
            frozenset(model.functions[name].returned_nodes()) if name else model.outputs or None
        )
        own_kinds = [kind for kind in kinds.kinds if not (name and (kind.effect or kind.unread))]
        search = _Search(body, outputs, effects)
        search.search(own_kinds)
        if search.breaks_needed_nodes():
            search = _Search(body, outputs, effects, careful=True)
            search.search(own_kinds)
        found.update({(name, node): kind for node, kind in search.found.items()})
    return {**found, **_whole_functions(grouped, calls, found)}


def _whole_functions(
    grouped: Mapping[str, Sequence[NodeUse]], calls: Calls, found: Mapping[Place, Kind]
) -> dict[Place, Kind]:
    """Returns the nodes of functions that only leftovers call."""
    graph = grouped.get("", ())
    seen = calls.reachable(
        (f for u in graph if ("", u.node) not in found for f in calls.of(u)), set()
    )
    whole: dict[Place, Kind] = {}
    for use in graph:
        kind = found.get(("", use.node))
        if kind is not None:
            new = calls.reachable(calls.of(use), seen)
            seen |= new
            whole.update({(f, u.node): kind for f in new for u in grouped.get(f, ())})
    return whole
