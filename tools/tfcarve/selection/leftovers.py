"""Which nodes of a model are left over from its training. Pure.

A node is left over only where no output of the model depends on it by data: where all that reads
its values is left over too, down to the ops in which such parts end (leftover_ops.yaml). In doubt
it is none: what changes a variable that somebody reads in the same step and anything in a loop is
never taken for one. Where a file does not declare its outputs (a GraphDef) any node may be one
that nobody reads but, say, a summary: there only constants are taken, the ends themselves, and
the truth values that an Assert tests.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.signature import node_of
from tfcarve.selection import reach
from tfcarve.selection.leftover_kinds import Kind, Kinds

# The function that a node is in (empty: the graph itself), and its name.
Place = tuple[str, str]


class OpFacts(Protocol):
    """What definitions tell of ops."""

    def acts(self, name: str) -> bool:
        """Says whether an op may change what outlasts a step."""

    def gives_truth(self, name: str) -> bool:
        """Says whether all that an op gives are truth values."""


def _data(use: NodeUse) -> list[str]:
    """Returns the nodes whose values a node takes."""
    return [node_of(tensor) for tensor in use.inputs if not tensor.startswith("^")]


@dataclass(frozen=True, slots=True)
class _Bodies:
    """A model's nodes by function, and what functions call and hold, directly or not."""

    nodes: Mapping[str, Sequence[NodeUse]]
    functions: Mapping[str, tuple[str, ...]]

    def calls(self, use: NodeUse) -> set[str]:
        """Returns the functions that `use` names."""
        return set(reach.called(use)) & self.functions.keys()

    def closure(self, roots: Iterable[str]) -> frozenset[str]:
        """Returns the functions `roots` and all that they call."""
        seen: set[str] = set()
        todo = list(roots)
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += [f for u in self.nodes.get(name, ()) for f in self.calls(u)]
        return frozenset(seen)

    def called_by(self, use: NodeUse) -> frozenset[str]:
        """Returns the functions that `use` calls, directly or not."""
        return self.closure(self.calls(use))

    def ops(self, functions: Iterable[str]) -> set[str]:
        """Returns the ops in the bodies of `functions`, calls of functions left out."""
        return {
            u.op for f in functions for u in self.nodes.get(f, ()) if u.op not in self.functions
        }


class _Body:
    """The search in one graph or function: `left` grows from the ends backwards."""

    def __init__(
        self,
        uses: Sequence[NodeUse],
        outputs: frozenset[str] | None,
        bodies: _Bodies,
        kinds: Kinds,
        facts: OpFacts,
    ) -> None:
        self.left: dict[str, Kind] = {}
        self._by_name = {use.node: use for use in uses}
        self._outputs = outputs or frozenset()
        self._outputs_known = outputs is not None
        self._kinds = kinds
        self._facts = facts
        self._constant: dict[str, bool] = {}
        self._called_ops: dict[str, set[str]] = {}
        self._readers: dict[str, list[str]] = {}
        self._waiting: dict[str, list[str]] = {}
        for use in uses:
            called = bodies.called_by(use)
            if called:
                self._called_ops[use.node] = bodies.ops(called)
            for tensor in use.inputs:
                table = self._waiting if tensor.startswith("^") else self._readers
                table.setdefault(node_of(tensor), []).append(use.node)
        self._unused = self._find_unused() if self._outputs_known else frozenset[str]()

    def search(self, kinds: Sequence[Kind]) -> None:
        """Finds all nodes that are left over, until nothing more is found."""
        ends = [(kind, use) for kind in kinds for use in self._ends(kind)]
        grows = True
        while grows:
            grows = False
            for kind, use in ends:
                if use.node not in self.left and self._may_go(use, kind):
                    self._take(use, kind)
                    grows = True
        for kind in kinds:
            if kind.unread:
                self.left.update((n, kind) for n in self._unused if n not in self.left)

    def _find_unused(self) -> frozenset[str]:
        """Finds what nobody reads, and what is read by nothing else, where the outputs are known."""
        unread = {n: len(self._readers.get(n, ())) for n in self._by_name}
        found: set[str] = set()
        todo = [node for node, readers in unread.items() if not readers]
        while todo:
            use = self._by_name[todo.pop()]
            if use.node in self._outputs or use.op == "NoOp" or not self._is_pure(use):
                continue
            found.add(use.node)
            for name in _data(use):
                if name in unread:
                    unread[name] -= 1
                    if not unread[name]:
                        todo.append(name)
        return frozenset(found)

    def _is_pure(self, use: NodeUse) -> bool:
        return not any(map(self._acts, self._called_ops.get(use.node, (use.op,))))

    def _ends(self, kind: Kind) -> list[NodeUse]:
        own = [use for use in self._by_name.values() if self._is_end(use, kind)]
        if not kind.guarded:
            return own
        names = {use.node for use in own}
        return own + [use for use in self._by_name.values() if self._is_gate(use, names)]

    def _is_end(self, use: NodeUse, kind: Kind) -> bool:
        """Is it an end, or a call that does what such an end does and nothing else that outlasts it?"""
        called = self._called_ops.get(use.node)
        if called is None:
            return use.op in kind.ends
        if not called & kind.ends or (kind.sources and not called & kind.sources):
            return False
        return all(op in kind.ends or not self._acts(op) for op in called)

    def _is_gate(self, use: NodeUse, ends: set[str]) -> bool:
        """Is it where the branches of a guarded end meet: a truth value that nodes only wait for?"""
        dtype = use.attrs.get("T")
        if use.op not in ("Identity", "Merge") or dtype is None or dtype.value != "bool":
            return False
        if use.node in self._readers or use.node not in self._waiting:
            return False
        before = {node_of(tensor) for tensor in use.inputs}
        for name in sorted(before & self._by_name.keys()):
            inputs = self._by_name[name].inputs
            before.update(node_of(tensor) for tensor in inputs if tensor.startswith("^"))
        return bool(before & ends)

    def _may_go(self, use: NodeUse, kind: Kind) -> bool:
        if use.node in self._outputs or not self._read_by_leftovers_only(use.node):
            return False
        if use.op in kind.ends and not self._reads_what_it_must(use, kind):
            return False
        if kind.handle and not self._alone_with_handle(use, kind):
            return False
        return not kind.effect or self._followers(use, kind) is not None

    def _take(self, use: NodeUse, kind: Kind) -> None:
        for node in [use.node, *((self._followers(use, kind) or ()) if kind.effect else ())]:
            self.left[node] = kind
            self._take_upstream(self._by_name[node], kind)

    def _read_by_leftovers_only(self, node: str) -> bool:
        readers = self._readers.get(node, ())
        return all(reader in self.left or reader in self._unused for reader in readers)

    def _reads_what_it_must(self, use: NodeUse, kind: Kind) -> bool:
        if not kind.sources and not kind.barred:
            return True
        ops: set[str] = set()
        seen: set[str] = set()
        todo = _data(use)[1:]  # after what it writes to
        while todo:
            node = self._by_name.get(todo.pop())
            if node is not None and node.node not in seen:
                seen.add(node.node)
                ops.add(node.op)
                todo += _data(node)
        return not ops & kind.barred and (not kind.sources or bool(ops & kind.sources))

    def _alone_with_handle(self, use: NodeUse, kind: Kind) -> bool:
        readers = self._readers.get(node_of(use.inputs[0]), ()) if use.inputs else ()
        return all(r in self.left or self._by_name[r].op in kind.ends for r in readers)

    def _followers(self, use: NodeUse, kind: Kind) -> list[str] | None:
        """Returns what an end is waited for by, and all that reads that; None where it may be needed.

        Needed is what nobody reads, an output, and what acts without belonging to the kind.
        """
        taken: list[str] = []
        todo = list(self._waiting.get(use.node, ()))
        while todo:
            node = self._by_name[todo.pop()]
            if node.node in self.left or node.node in taken:
                continue
            readers = self._readers.get(node.node, ())
            passes_on = node.op == "Identity" and not set(_data(node)) <= set(_data(use))
            belongs = node.op == "NoOp" or (node.op in kind.after | kind.ends and not passes_on)
            pure = bool(readers) and self._is_pure(node)
            if node.node in self._outputs or not (belongs or pure):
                return None
            taken.append(node.node)
            todo += [*readers, *self._waiting.get(node.node, ())]
        return taken

    def _acts(self, op: str) -> bool:
        if op in self._kinds.readers:
            return False
        return op in self._kinds.all_ends or self._facts.acts(op)

    def _may_be_output(self, use: NodeUse, kind: Kind) -> bool:
        """May a program fetch the node, though nothing declares it as an output?"""
        if self._outputs_known or (kind.guarded and self._facts.gives_truth(use.op)):
            return False
        return not self._is_constant(use)

    def _is_constant(self, use: NodeUse) -> bool:
        if use.node not in self._constant:
            seen: set[str] = set()
            todo = [use.node]
            while todo:
                node = self._by_name.get(todo.pop())
                if node is None or node.op.startswith("Placeholder"):
                    break
                if node.node not in seen:
                    seen.add(node.node)
                    before = _data(node)
                    if not before and node.op != "Const":
                        break
                    todo += before
            else:
                self._constant.update(dict.fromkeys(seen, True))
            self._constant.setdefault(use.node, False)
        return self._constant[use.node]

    def _take_upstream(self, use: NodeUse, kind: Kind) -> None:
        todo = _data(use)
        while todo:
            node = self._by_name.get(todo.pop())
            if node is None or node.node in self.left or node.node in self._outputs:
                continue
            if not self._read_by_leftovers_only(node.node) or self._may_be_output(node, kind):
                continue
            if self._is_pure(node):
                self.left[node.node] = kind
                todo += _data(node)


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
    bodies = _Bodies(grouped, model.functions)

    found: dict[Place, Kind] = {}
    for name, body in grouped.items():
        outputs = frozenset(model.functions[name]) if name else model.outputs or None
        search = _Body(body, outputs, bodies, kinds, facts)
        search.search([kind for kind in kinds.kinds if not (name and (kind.effect or kind.unread))])
        found.update({(name, node): kind for node, kind in search.left.items()})
    return {**found, **_whole_functions(grouped, bodies, found)}


def _whole_functions(
    grouped: Mapping[str, Sequence[NodeUse]], bodies: _Bodies, found: Mapping[Place, Kind]
) -> dict[Place, Kind]:
    """Returns the nodes of the functions that nothing calls but what is left over."""
    needed = bodies.closure(
        f for use in grouped.get("", ()) if ("", use.node) not in found for f in bodies.calls(use)
    )
    whole: dict[Place, Kind] = {}
    for use in grouped.get("", ()):
        kind = found.get(("", use.node))
        if kind is not None:
            for function in bodies.called_by(use) - needed:
                whole.update({(function, u.node): kind for u in grouped.get(function, ())})
    return whole
