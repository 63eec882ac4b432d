"""Which nodes of a model are left over from its training. Pure.

A node is left over only where no output of the model depends on it by data: where all that reads
its values is left over too, down to the ops in which such parts end (leftover_ops.yaml). In doubt
it is none: what changes a variable that somebody reads in the same step and anything in a loop is
never taken for one. Where a file does not declare its outputs (a GraphDef) any node may be one
that nobody reads but, say, a summary: there only constants are taken, the ends themselves, and
the truth values that an Assert tests.

A model may be made to take long: each search here looks at an edge of the graph a few times at most.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.signature import node_of
from tfcarve.selection.control_dependents import Needed
from tfcarve.selection.graph import Graph, Rest, controls, data
from tfcarve.selection.leftover_kinds import Kind, Kinds
from tfcarve.selection.side_effects import Calls, OpFacts, SideEffects

# The function that a node is in (empty: the graph itself), and its name.
Place = tuple[str, str]


class _Body:
    """The search in one graph or function: `left` grows from the ends backwards."""

    def __init__(
        self, uses: Iterable[NodeUse], outputs: frozenset[str] | None, effects: SideEffects
    ) -> None:
        self.left: dict[str, Kind] = {}
        self._graph = Graph(uses)
        self._outputs = outputs or frozenset()
        self._outputs_known = outputs is not None
        self._effects = effects
        self._unused = self._find_unused() if self._outputs_known else frozenset[str]()
        self._todo: deque[tuple[Kind, NodeUse]] = deque()
        # The ends that may go only after something else, by that: see _hindrance.
        self._held: dict[tuple[str, str], list[tuple[Kind, NodeUse]]] = {}
        self._needed: dict[str, Needed] = {}  # by kind
        self._rest = Rest()

    def search(self, kinds: Sequence[Kind]) -> None:
        """Finds all nodes that are left over, until nothing more is found."""
        for kind in kinds:
            ends = self._ends(kind)
            if kind.effect and ends:
                self._needed[kind.id] = self._needed_after(ends, kind)
            self._todo += [(kind, use) for use in ends]
        while self._todo:
            kind, use = self._todo.popleft()
            if use.node in self.left:
                continue
            hindrance = self._hindrance(use, kind)
            if hindrance is None:
                self._take(use, kind)
            else:
                self._held.setdefault(hindrance, []).append((kind, use))
        for kind in kinds:
            if kind.unread:
                self.left.update((n, kind) for n in self._unused if n not in self.left)

    def _find_unused(self) -> frozenset[str]:
        """Finds what nobody reads, and what is read by nothing else, where the outputs are known."""
        unread = {name: len(self._graph.readers.get(name, ())) for name in self._graph.nodes}
        found: set[str] = set()
        todo = [node for node, readers in unread.items() if not readers]
        while todo:
            use = self._graph.nodes[todo.pop()]
            if use.node in self._outputs or use.op == "NoOp" or not self._effects.is_pure(use):
                continue
            found.add(use.node)
            for name in data(use):
                if name in unread:
                    unread[name] -= 1
                    if not unread[name]:
                        todo.append(name)
        return frozenset(found)

    def _ends(self, kind: Kind) -> list[NodeUse]:
        """Returns the nodes in which a part of a kind may end, whatever else is left over."""
        uses = self._graph.nodes.values()
        ends = [use for use in uses if self._effects.is_end(use, kind)]
        if kind.guarded:
            names = {use.node for use in ends}
            near = names.union(*(self._graph.waiting.get(name, ()) for name in names))
            ends += [use for use in uses if self._is_gate(use, near)]
        if kind.sources or kind.barred:
            reading, barred = self._depending_on(kind.sources), self._depending_on(kind.barred)

            def reads_what_it_must(use: NodeUse) -> bool:
                tensors = [t for t in use.inputs if not t.startswith("^")]
                taken = set(map(node_of, tensors[1:]))  # after what it writes to
                return barred.isdisjoint(taken) and not (kind.sources and reading.isdisjoint(taken))

            ends = [use for use in ends if use.op not in kind.ends or reads_what_it_must(use)]
        return [use for use in ends if use.node not in self._outputs]

    def _is_gate(self, use: NodeUse, near: set[str]) -> bool:
        """Is it where the branches of a guarded end meet: a truth value that nodes only wait for?

        `near` holds the ends and what waits for one.
        """
        dtype = use.attrs.get("T")
        if use.op not in ("Identity", "Merge") or dtype is None or dtype.value != "bool":
            return False
        if use.node in self._graph.readers or use.node not in self._graph.waiting:
            return False
        return any(node_of(tensor) in near for tensor in use.inputs)

    def _depending_on(self, ops: frozenset[str]) -> set[str]:
        """Returns the nodes of `ops`, and all whose values depend on one."""
        roots = [use.node for use in self._graph.nodes.values() if use.op in ops]
        return self._graph.depending(roots)

    def _needed_after(self, ends: Sequence[NodeUse], kind: Kind) -> Needed:
        """Returns what may be needed of what waits for `ends`.

        That is an output, what nobody reads, and what acts without belonging to the kind.
        """
        taken = {use.node: set(data(use)) for use in ends}
        own = kind.ends | kind.after | {"NoOp"}

        def belongs(use: NodeUse) -> bool:
            if use.op == "Identity" and use.op in own:  # of what an end takes that it waits for
                return any(taken[e].issuperset(data(use)) for e in controls(use) if e in taken)
            return use.op in own

        def may_be_needed(use: NodeUse) -> bool:
            pure = use.node in self._graph.readers and self._effects.is_pure(use)
            return use.node in self._outputs or not (pure or belongs(use))

        return Needed(self._graph, ends, may_be_needed)

    def _reader(self, name: str) -> str | None:
        """Returns a node that takes a node's value and is not left over, or None."""
        return self._rest.first(
            name,
            lambda: self._graph.readers.get(name, ()),
            lambda r: r in self.left or r in self._unused,
        )

    def _hindrance(self, use: NodeUse, kind: Kind) -> tuple[str, str] | None:
        """Returns a node that must be left over before an end is, or None.

        With it the kind for whose ends it must not be needed any more; none where it must be left over itself.
        """
        graph = self._graph
        reader = self._reader(use.node)
        if reader is None and kind.handle and use.inputs:
            name = node_of(use.inputs[0])
            reader = self._rest.first(
                ("handle", kind.id, name),
                lambda: graph.readers.get(name, ()),
                lambda r: r in self.left or graph.nodes[r].op in kind.ends,
            )
        if reader is not None:
            return "", reader
        if kind.effect:
            needed = self._needed[kind.id]
            follower = self._rest.first(
                ("follower", kind.id, use.node),
                lambda: graph.waiting.get(use.node, ()),
                lambda w: w not in needed,
            )
            if follower is not None:
                return kind.id, follower
        return None

    def _leave_out(self, name: str, kind: Kind) -> None:
        """Notes that a node is left over; the ends that only waited for this are looked at again."""
        self.left[name] = kind
        self._todo += self._held.pop(("", name), ())
        for of_kind, needed in self._needed.items():
            for gone in needed.drop(name):
                self._todo += self._held.pop((of_kind, gone), ())

    def _take(self, use: NodeUse, kind: Kind) -> None:
        for name in [use.node, *(self._followers(use) if kind.effect else ())]:
            self._leave_out(name, kind)
            self._take_upstream(self._graph.nodes[name], kind)

    def _followers(self, use: NodeUse) -> Iterable[str]:
        """Returns what an end is waited for by, and all that reads that or waits for that in turn."""
        found: dict[str, None] = {}
        todo = list(self._graph.waiting.get(use.node, ()))
        while todo:
            name = todo.pop()
            if name not in self.left and name not in found:
                found[name] = None
                todo += self._graph.after(name)
        return found

    def _take_upstream(self, use: NodeUse, kind: Kind) -> None:
        todo = data(use)
        while todo:
            node = self._graph.nodes.get(todo.pop())
            if node is None or node.node in self.left or node.node in self._outputs:
                continue
            if self._reader(node.node) is not None or self._may_be_output(node, kind):
                continue
            if self._effects.is_pure(node):
                self._leave_out(node.node, kind)
                todo += data(node)

    def _may_be_output(self, use: NodeUse, kind: Kind) -> bool:
        """May a program fetch the node, though nothing declares it as an output?"""
        if self._outputs_known or (kind.guarded and self._effects.gives_truth(use.op)):
            return False
        return use.node in self._varying

    @cached_property
    def _varying(self) -> set[str]:
        """The nodes whose values are not constants alone."""
        nodes = self._graph.nodes
        roots = [
            use.node
            for use in nodes.values()
            if use.op.startswith("Placeholder") or (use.op != "Const" and not data(use))
        ]
        nowhere = self._graph.readers.keys() - nodes.keys()
        return self._graph.depending([*roots, *nowhere])


def leftovers(
    model: Model, uses: Sequence[NodeUse], kinds: Kinds, facts: OpFacts
) -> dict[Place, Kind]:
    """Finds what is left over.

    Args:
      model: whose functions and outputs count.
      uses: its nodes that can run.
      kinds: what to look for.
      facts: what definitions tell of ops.
    Returns: the nodes that are left over, by function and name, each with its kind; those of
      functions that only such nodes call included.
    """
    if not any(use.op in kinds.all_ends for use in uses):
        return {}
    grouped: dict[str, list[NodeUse]] = {}
    for use in uses:
        grouped.setdefault(use.function, []).append(use)
    calls = Calls(uses, model.functions)
    effects = SideEffects(calls, kinds, facts)

    found: dict[Place, Kind] = {}
    for name, body in grouped.items():
        outputs = frozenset(model.functions[name]) if name else model.outputs or None
        search = _Body(body, outputs, effects)
        search.search([kind for kind in kinds.kinds if not (name and (kind.effect or kind.unread))])
        found.update({(name, node): kind for node, kind in search.left.items()})
    return {**found, **_whole_functions(grouped, calls, found)}


def _whole_functions(
    grouped: Mapping[str, Sequence[NodeUse]], calls: Calls, found: Mapping[Place, Kind]
) -> dict[Place, Kind]:
    """Returns the nodes of the functions that nothing calls but what is left over."""
    graph = grouped.get("", ())
    seen = calls.below((f for u in graph if ("", u.node) not in found for f in calls.of(u)), set())
    whole: dict[Place, Kind] = {}
    for use in graph:
        kind = found.get(("", use.node))
        if kind is not None:
            new = calls.below(calls.of(use), seen)
            seen |= new
            whole.update({(f, u.node): kind for f in new for u in grouped.get(f, ())})
    return whole
