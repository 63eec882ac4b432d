"""What waits for the ends of a graph's parts, and may be needed. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable

from tfcarve.models.node_use import NodeUse
from tfcarve.selection.graph import Graph, closure


class Needed:
    """What may be needed of all that waits for ends of one kind: such nodes, and those that lead to one.

    It only gets smaller. What leads to one by a loop stays, whatever becomes of that one.
    """

    def __init__(
        self, graph: Graph, ends: Iterable[NodeUse], may_be_needed: Callable[[NodeUse], bool]
    ) -> None:
        self._graph = graph
        waiting = {name for use in ends for name in graph.waiting.get(use.node, ())}
        final: dict[str, bool] = {}

        def following(name: str) -> Iterable[str]:
            final[name] = may_be_needed(graph.nodes[name])
            return () if final[name] else graph.after(name)

        region = closure(waiting, following)
        self._final = {name for name in region if final[name]}
        self._names = closure(
            self._final, lambda name: [before for before in graph.before(name) if before in region]
        )
        self._following = Counter(before for name in self._names for before in graph.before(name))

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def _only_leads(self, name: str) -> bool:
        return name in self._names and name not in self._final

    def drop(self, name: str) -> list[str]:
        """Takes out a node that is left over, and returns all that is not in it any more for that."""
        gone = []
        todo = [name] if name in self._names else []
        while todo:
            last = todo.pop()
            self._names.remove(last)
            gone.append(last)
            for before in self._graph.before(last):
                self._following[before] -= 1
                if not self._following[before] and self._only_leads(before):
                    todo.append(before)
        return gone
