"""Which nodes of a graph decode what an app could decode itself. Pure.

Unlike what is left over from training (leftovers.py) an output depends on these: they go only where
the app feeds what they give. So a decoder counts only if nothing but the app can give it its bytes:
all that it takes comes from constants and placeholders for strings, one of the latter at least. Graphs
that were saved with a picture in the place of the placeholder have a constant there: it counts where
the graph has no placeholder at all. Decoders in functions never count: a signature's caller can feed
no node of a function.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tfcarve.models.node_use import NodeUse
from tfcarve.models.signature import node_of
from tfcarve.selection.leftover_kinds import Decoding


def _data(use: NodeUse) -> list[str]:
    """Returns the tensors that a node takes."""
    return [tensor for tensor in use.inputs if not tensor.startswith("^")]


def _gives_text(use: NodeUse) -> bool:
    dtype = use.attrs.get("dtype")
    return dtype is not None and dtype.value == "string"


def _is_placeholder(use: NodeUse) -> bool:
    return use.op.startswith("Placeholder")


class _Graph:
    """A graph's nodes by name, and for each name the nodes that take what it gives or wait for it."""

    def __init__(self, uses: Iterable[NodeUse], outputs: frozenset[str]) -> None:
        self.nodes = {use.node: use for use in uses if not use.function}
        self.outputs = outputs
        self.readers: dict[str, list[NodeUse]] = {}
        for use in self.nodes.values():
            for name in dict.fromkeys(node_of(tensor) for tensor in use.inputs):
                self.readers.setdefault(name, []).append(use)

    def upstream(self, tensors: Iterable[str]) -> Iterator[NodeUse]:
        """Yields the nodes that `tensors` come from, directly or not; what a placeholder defaults to is none."""
        seen: set[str] = set()
        todo = [node_of(tensor) for tensor in tensors]
        while todo:
            use = self.nodes.get(todo.pop())
            if use is not None and use.node not in seen:
                seen.add(use.node)
                yield use
                if not _is_placeholder(use):
                    todo += map(node_of, _data(use))

    def is_constant(self, tensor: str) -> bool:
        """Says whether a value is the same in every run."""
        return all(
            (use.op == "Const" or _data(use)) and not _is_placeholder(use)
            for use in self.upstream([tensor])
        )

    def is_fed_by_the_app(self, decoder: NodeUse) -> bool:
        """Says whether all that a decoder takes comes from constants and from text that the app feeds."""
        sources = [u for u in self.upstream(_data(decoder)) if _is_placeholder(u) or not _data(u)]
        fed = [use for use in sources if use.op != "Const"]
        if fed:
            return all(_is_placeholder(use) and _gives_text(use) for use in fed)
        first = self.nodes.get(node_of(_data(decoder)[0])) if _data(decoder) else None
        saved = first is not None and first.op == "Const"
        return saved and not any(map(_is_placeholder, self.nodes.values()))

    def last(self, decoder: NodeUse, follow: frozenset[str]) -> NodeUse | None:
        """Returns the node behind which the model proper begins; None where none does."""
        last = decoder
        while last.node not in self.outputs:
            readers = self.readers.get(last.node, [])
            if len(readers) != 1 or readers[0].op not in follow:
                return last if readers else None
            others = [t for t in _data(readers[0]) if node_of(t) != last.node]
            if not all(map(self.is_constant, others)):
                return last
            last = readers[0]
        return None

    def given_up(self, last: NodeUse) -> set[str]:
        """Returns `last` and all nodes that give something to it and to nothing else.

        Placeholders stay: what is fed instead goes into one as well.
        """
        gone = {last.node}
        grows = True
        while grows:
            new = {
                name
                for node in gone
                for name in map(node_of, self.nodes[node].inputs)
                if name in self.nodes
                and name not in self.outputs
                and not _is_placeholder(self.nodes[name])
                and all(reader.node in gone for reader in self.readers[name])
            }
            grows = not new <= gone
            gone |= new
        return gone

    def tensors_read(self, node: str) -> list[str]:
        """Returns the outputs of `node` that others take, sorted: `a` for its first."""
        taken = [t for use in self.readers[node] for t in _data(use) if node_of(t) == node]
        return sorted({tensor.removesuffix(":0") for tensor in taken})


def decoding(uses: Sequence[NodeUse], outputs: frozenset[str], kind: Decoding) -> Mapping[str, str]:
    """Finds the nodes that an app makes needless by decoding its input itself.

    Args:
      uses: the nodes that are needed, without those that are left over from training.
      outputs: the nodes that are known to be outputs.
      kind: the ops that decode, and those that may follow.
    Returns: the names of the nodes, each with what removes it.
    """
    if not any(use.op in kind.decoders for use in uses):
        return {}
    graph = _Graph(uses, outputs)
    found: dict[str, str] = {}
    for use in graph.nodes.values():
        if use.op in kind.decoders and graph.is_fed_by_the_app(use):
            last = graph.last(use, kind.follow)
            if last is not None:
                transform = kind.transform(graph.tensors_read(last.node))
                found.update(dict.fromkeys(graph.given_up(last), transform))
    return found
