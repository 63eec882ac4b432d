"""The control dependents of a graph's sinks that may be needed. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable

from tfcarve.models.node_use import NodeUse
from tfcarve.selection.graph import Graph, closure


class NeededDependents:
    """The control dependents of sinks of one kind that may be needed, and all nodes that lead to a needed one.

    The set only shrinks. A node that leads to a needed one through a loop stays in it.
    """

    def __init__(
        self, graph: Graph, sinks: Iterable[NodeUse], may_be_needed: Callable[[NodeUse], bool]
    ) -> None:
        self._graph = graph
        dependents = {name for use in sinks for name in graph.control_dependents.get(use.node, ())}
        final: dict[str, bool] = {}

        def following(name: str) -> Iterable[str]:
            final[name] = may_be_needed(graph.nodes[name])
            return () if final[name] else graph.successors(name)

        region = closure(dependents, following)
        self._final = {name for name in region if final[name]}
        self._names = closure(
            self._final,
            lambda name: [before for before in graph.predecessors(name) if before in region],
        )
        self._successors = Counter(
            before for name in self._names for before in graph.predecessors(name)
        )

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def _only_leads(self, name: str) -> bool:
        return name in self._names and name not in self._final

    def drop(self, name: str) -> list[str]:
        """Removes a node that is left over; returns all names that this removes from the set."""
        removed = []
        todo = [name] if name in self._names else []
        while todo:
            last = todo.pop()
            self._names.remove(last)
            removed.append(last)
            for before in self._graph.predecessors(last):
                self._successors[before] -= 1
                if not self._successors[before] and self._only_leads(before):
                    todo.append(before)
        return removed
