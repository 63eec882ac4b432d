"""The nodes of one graph or function by name, and its edges. Pure."""

from collections.abc import Callable, Hashable, Iterable

from tfcarve.models.node_use import NodeUse
from tfcarve.models.signature_def import node_of


def data_inputs(use: NodeUse) -> list[str]:
    """Returns the nodes whose values a node takes, each once, in the order of its inputs."""
    return list(dict.fromkeys(node_of(t) for t in use.inputs if not t.startswith("^")))


def control_inputs(use: NodeUse) -> list[str]:
    """Returns the nodes that a node depends on by control edges, each once."""
    return list(dict.fromkeys(node_of(t) for t in use.inputs if t.startswith("^")))


def closure(roots: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    """Returns `roots` and all names that follow a root, directly or indirectly."""
    seen = set(roots)
    todo = list(seen)
    while todo:
        for name in following(todo.pop()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


class Pending:
    """Lists of names that become done over time. Each name that is done is examined once."""

    def __init__(self) -> None:
        self._pending: dict[Hashable, list[str]] = {}

    def first(
        self, key: Hashable, names: Callable[[], Iterable[str]], is_done: Callable[[str], bool]
    ) -> str | None:
        """Returns a name of the list `key` that is not done, or None; `names` returns the whole list."""
        if key not in self._pending:
            self._pending[key] = list(names())
        pending = self._pending[key]
        while pending and is_done(pending[-1]):
            pending.pop()
        return pending[-1] if pending else None


class Graph:
    """Nodes by name.

    Attributes:
      nodes: the nodes.
      consumers: for each name, the nodes that take the value of the node with that name; includes names that nodes
        refer to but no node has.
      control_dependents: for each name, the nodes with a control edge from the node with that name.
    """

    def __init__(self, uses: Iterable[NodeUse]) -> None:
        self.nodes = {use.node: use for use in uses}
        self.consumers: dict[str, list[str]] = {}
        self.control_dependents: dict[str, list[str]] = {}
        for use in self.nodes.values():
            for name in data_inputs(use):
                self.consumers.setdefault(name, []).append(use.node)
            for name in control_inputs(use):
                self.control_dependents.setdefault(name, []).append(use.node)

    def predecessors(self, name: str) -> list[str]:
        """Returns the nodes that a node depends on: twice if by both kinds of edges."""
        return data_inputs(self.nodes[name]) + control_inputs(self.nodes[name])

    def successors(self, name: str) -> list[str]:
        """Returns the nodes that depend on a node: twice if by both kinds of edges."""
        return [*self.consumers.get(name, ()), *self.control_dependents.get(name, ())]

    def data_dependents(
        self, roots: Iterable[str], through: Callable[[str], bool] = lambda _: True
    ) -> set[str]:
        """Returns `roots` and all nodes whose values depend on a root, on paths of nodes that satisfy `through`."""
        return closure(roots, lambda name: filter(through, self.consumers.get(name, ())))
