"""The data that the outputs of a program need, and the path of the data to an output. Pure."""

from collections.abc import Mapping

from tfcarve.prepare.freeze.links import MAIN, Links, Vertex
from tfcarve.prepare.freeze.stores import Stores

_MAX_SHOWN = 12


class Needs:
    """The tensors that some tensors of a program depend on, without control inputs.

    Args:
      links: the program.
      stores: its variables and tables.
      roots: the tensors, each with a description for messages.
    """

    def __init__(self, links: Links, stores: Stores, roots: Mapping[Vertex, str]) -> None:
        self._links = links
        self._roots = roots
        self._next = links.reached(roots)
        self._nodes: dict[tuple[str, str], Vertex] = {}
        self._readers: dict[str, Vertex] = {}
        for vertex in self._next:
            self._nodes.setdefault((vertex.body, vertex.node), vertex)
            for store in stores.reads(vertex):
                self._readers.setdefault(store.name, vertex)

    def of(self, body: str, node: str) -> Vertex | None:
        """Returns a needed output of a node, or None if no output is needed."""
        return self._nodes.get((body, node))

    def ports(self, vertex: Vertex) -> list[int]:
        """Returns the numbers of the needed outputs of a node."""
        return sorted(v.port for v in self._next if v[:2] == vertex[:2])

    def reader(self, store: str) -> Vertex | None:
        """Returns a needed node that reads the variable or table with the name `store`, or None if no needed node reads it."""
        return self._readers.get(store)

    def root(self, vertex: Vertex) -> str:
        """Returns the description of the tensor that needs `vertex`."""
        return self._roots[self.way(vertex)[-1]]

    def path(self, vertex: Vertex, *before: str) -> str:
        """Returns the nodes from `before` and `vertex` to the tensor that needs it, as "a -> b -> c"."""
        names = list(before)
        for one in self.way(vertex):
            if self._links.number(one) is None:
                name = one.node if one.body == MAIN else f"{one.node} in {one.body}"
                names += [] if names[-1:] == [name] else [name]
        if len(names) > _MAX_SHOWN:
            half = _MAX_SHOWN // 2
            names[half:-half] = [f"({len(names) - 2 * half} more nodes)"]
        return " -> ".join(names)

    def way(self, vertex: Vertex) -> list[Vertex]:
        """Returns the shortest way from `vertex` to a tensor that needs it."""
        way = [vertex]
        while (following := self._next[way[-1]]) is not None:
            way.append(following)
        return way
