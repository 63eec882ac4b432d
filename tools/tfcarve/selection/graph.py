"""One graph's or one function's nodes by name, and who takes what they give. Pure."""

from collections.abc import Callable, Hashable, Iterable

from tfcarve.models.node_use import NodeUse
from tfcarve.models.signature import node_of


def data(use: NodeUse) -> list[str]:
    """Returns the nodes whose values a node takes, each once, in the order of its inputs."""
    return list(dict.fromkeys(node_of(t) for t in use.inputs if not t.startswith("^")))


def controls(use: NodeUse) -> list[str]:
    """Returns the nodes that a node waits for by control edges, each once."""
    return list(dict.fromkeys(node_of(t) for t in use.inputs if t.startswith("^")))


def closure(roots: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    """Returns `roots` and all that follows them, directly or not."""
    seen = set(roots)
    todo = list(seen)
    while todo:
        for name in following(todo.pop()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


class Rest:
    """Lists of names of which ever more are done: each that is done is looked at once."""

    def __init__(self) -> None:
        self._rest: dict[Hashable, list[str]] = {}

    def first(
        self, key: Hashable, names: Callable[[], Iterable[str]], is_done: Callable[[str], bool]
    ) -> str | None:
        """Returns one of the names with this key that is not done, or None; `names` gives them all."""
        if key not in self._rest:
            self._rest[key] = list(names())
        rest = self._rest[key]
        while rest and is_done(rest[-1]):
            rest.pop()
        return rest[-1] if rest else None


class Graph:
    """Nodes by name.

    Attributes:
      nodes: each node's use.
      readers: for a name, the nodes that take the value of the node that is called so; names that
        nodes take and none has are there too.
      waiting: the same for control edges.
    """

    def __init__(self, uses: Iterable[NodeUse]) -> None:
        self.nodes = {use.node: use for use in uses}
        self.readers: dict[str, list[str]] = {}
        self.waiting: dict[str, list[str]] = {}
        for use in self.nodes.values():
            for name in data(use):
                self.readers.setdefault(name, []).append(use.node)
            for name in controls(use):
                self.waiting.setdefault(name, []).append(use.node)

    def before(self, name: str) -> list[str]:
        """Returns what a node takes values of and what it waits for: twice what is both."""
        return data(self.nodes[name]) + controls(self.nodes[name])

    def after(self, name: str) -> list[str]:
        """Returns the nodes that take a node's values or wait for it: twice those that do both."""
        return [*self.readers.get(name, ()), *self.waiting.get(name, ())]

    def depending(
        self, roots: Iterable[str], through: Callable[[str], bool] = lambda _: True
    ) -> set[str]:
        """Returns `roots` and all whose values depend on theirs, by nodes that `through` says yes of."""
        return closure(roots, lambda name: filter(through, self.readers.get(name, ())))
