"""What a model's nodes do, in the functions that they call too. Pure."""

from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from tfcarve.models.node_use import NodeUse
from tfcarve.selection.graph import closure
from tfcarve.selection.leftover_kinds import Kind, Kinds
from tfcarve.selection.reach import called


class OpFacts(Protocol):
    """What definitions tell of ops."""

    def acts(self, name: str) -> bool:
        """Says whether an op may change what outlasts a step."""

    def gives_truth(self, name: str) -> bool:
        """Says whether all that an op gives are truth values."""


class Calls:
    """The calls that a model's nodes make."""

    def __init__(self, uses: Iterable[NodeUse], functions: Collection[str]) -> None:
        self._of_node: dict[tuple[str, str], set[str]] = {}
        self._callees: dict[str, set[str]] = {}
        self._callers: dict[str, set[str]] = {}
        self._ops: dict[str, set[str]] = {}
        for use in uses:
            names = {name for name in called(use) if name in functions}
            if names:
                self._of_node[use.function, use.node] = names
                self._callees.setdefault(use.function, set()).update(names)
                for name in names:
                    self._callers.setdefault(name, set()).add(use.function)
            if use.op not in functions:
                self._ops.setdefault(use.function, set()).add(use.op)

    def of(self, use: NodeUse) -> Collection[str]:
        """Returns the functions that a node calls itself."""
        return self._of_node.get((use.function, use.node), ())

    def below(self, functions: Iterable[str], known: Collection[str]) -> set[str]:
        """Returns `functions` and all that they call, directly or not, without those that are `known`."""

        def new(names: Iterable[str]) -> list[str]:
            return [name for name in names if name not in known]

        return closure(new(functions), lambda name: new(self._callees.get(name, ())))

    def that_do(self, does: Callable[[str], bool]) -> set[str]:
        """Returns the functions that have, or call one that has, an op of which `does` says yes."""
        doing = (name for name, ops in self._ops.items() if any(map(does, ops)))
        return closure(doing, lambda name: self._callers.get(name, ()))


class SideEffects:
    """What a model's nodes do, in the functions that they call too."""

    def __init__(self, calls: Calls, kinds: Kinds, facts: OpFacts) -> None:
        self.gives_truth = facts.gives_truth
        self._calls = calls
        self._kinds = kinds
        self._facts = facts
        self._acting = calls.that_do(self._acts)
        # Functions with ends of a kind, those with what it must read from, those that do more than it.
        self._by_kind: dict[str, tuple[set[str], set[str], set[str]]] = {}

    def _acts(self, op: str) -> bool:
        if op in self._kinds.readers:
            return False
        return op in self._kinds.all_ends or self._facts.acts(op)

    def is_pure(self, use: NodeUse) -> bool:
        """Says whether nothing that a node does outlasts a step."""
        called = self._calls.of(use)
        return self._acting.isdisjoint(called) if called else not self._acts(use.op)

    def is_end(self, use: NodeUse, kind: Kind) -> bool:
        """Is it an end, or a call that does what such an end does and nothing else that outlasts it?"""
        called = self._calls.of(use)
        if not called:
            return use.op in kind.ends
        if kind.id not in self._by_kind:
            self._by_kind[kind.id] = (
                self._calls.that_do(kind.ends.__contains__),
                self._calls.that_do(kind.sources.__contains__),
                self._calls.that_do(lambda op: op not in kind.ends and self._acts(op)),
            )
        ending, reading, doing_more = self._by_kind[kind.id]
        if ending.isdisjoint(called) or (kind.sources and reading.isdisjoint(called)):
            return False
        return doing_more.isdisjoint(called)
