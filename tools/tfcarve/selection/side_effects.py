"""The side effects of a model's nodes, and of the functions that they call. Pure."""

from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from tfcarve.models.node_use import NodeUse
from tfcarve.selection.graph import closure
from tfcarve.selection.leftover_kinds import Kind, Kinds
from tfcarve.selection.reachable import called


class OpFacts(Protocol):
    """Properties of ops, from their definitions."""

    def has_side_effects(self, name: str) -> bool:
        """Returns whether an op may change state that outlasts a step."""

    def returns_bool(self, name: str) -> bool:
        """Returns whether all outputs of an op are bool."""


class Calls:
    """The function calls of a model's nodes."""

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
        """Returns the functions that a node calls directly."""
        return self._of_node.get((use.function, use.node), ())

    def reachable(self, functions: Iterable[str], known: Collection[str]) -> set[str]:
        """Returns `functions` and all functions that they call, directly or indirectly, without `known`."""

        def new(names: Iterable[str]) -> list[str]:
            return [name for name in names if name not in known]

        return closure(new(functions), lambda name: new(self._callees.get(name, ())))

    def containing(self, predicate: Callable[[str], bool]) -> set[str]:
        """Returns the functions that contain an op with `predicate`, or call such a function."""
        direct = (name for name, ops in self._ops.items() if any(map(predicate, ops)))
        return closure(direct, lambda name: self._callers.get(name, ()))


class SideEffects:
    """The side effects of a model's nodes, and of the functions that they call."""

    def __init__(self, calls: Calls, kinds: Kinds, facts: OpFacts) -> None:
        self.returns_bool = facts.returns_bool
        self._calls = calls
        self._kinds = kinds
        self._facts = facts
        self._effectful = calls.containing(self._has_side_effects)
        # By kind: the functions with sinks of the kind, with sources of the kind, and with other side effects.
        self._by_kind: dict[str, tuple[set[str], set[str], set[str]]] = {}

    def _has_side_effects(self, op: str) -> bool:
        if op in self._kinds.readers:
            return False
        return op in self._kinds.all_sinks or self._facts.has_side_effects(op)

    def is_pure(self, use: NodeUse) -> bool:
        """Returns whether a node has no side effects."""
        called = self._calls.of(use)
        return self._effectful.isdisjoint(called) if called else not self._has_side_effects(use.op)

    def is_sink(self, use: NodeUse, kind: Kind) -> bool:
        """Returns whether a node is a sink of `kind`, or a call with only the side effects of such sinks."""
        called = self._calls.of(use)
        if not called:
            return use.op in kind.sinks
        if kind.id not in self._by_kind:
            self._by_kind[kind.id] = (
                self._calls.containing(kind.sinks.__contains__),
                self._calls.containing(kind.sources.__contains__),
                self._calls.containing(
                    lambda op: op not in kind.sinks and self._has_side_effects(op)
                ),
            )
        with_sinks, reading, others = self._by_kind[kind.id]
        if with_sinks.isdisjoint(called) or (kind.sources and reading.isdisjoint(called)):
            return False
        return others.isdisjoint(called)
