"""Which nodes of a graph decode what an app could decode itself. Pure.

Unlike what is left over from training (leftovers.py) an output depends on these: they go only where
the app feeds what they give. So a decoder counts only if nothing but the app can give it its bytes:
all that it takes comes from constants and placeholders for strings, one of the latter at least. Graphs
that were saved with a picture in the place of the placeholder have a constant there: it counts where
the graph has no placeholder at all. Decoders in functions never count: a signature's caller can feed
no node of a function.
"""

from collections.abc import Iterable, Mapping, Sequence

from tfcarve.models.node_use import NodeUse
from tfcarve.models.signature import node_of
from tfcarve.selection.graph import Graph, Rest, data
from tfcarve.selection.leftover_kinds import Decoding


def _gives_text(use: NodeUse) -> bool:
    dtype = use.attrs.get("dtype")
    return dtype is not None and dtype.value == "string"


def _is_placeholder(use: NodeUse) -> bool:
    return use.op.startswith("Placeholder")


class _Search:
    """The search in one graph: `found` has the nodes that are given up, each with what removes it."""

    def __init__(self, uses: Iterable[NodeUse], outputs: frozenset[str], kind: Decoding) -> None:
        self.found: dict[str, str] = {}
        self._graph = Graph(use for use in uses if not use.function)
        self._outputs = outputs
        self._kind = kind
        nodes = self._graph.nodes
        self._placeholders = {use.node for use in nodes.values() if _is_placeholder(use)}
        text = {name for name in self._placeholders if _gives_text(nodes[name])}
        sources = {use.node for use in nodes.values() if not data(use) and use.op != "Const"}
        self._text = self._depending_on(text)
        self._other = self._depending_on((sources | self._placeholders) - text)
        self._last: dict[str, str | None] = {}
        self._varying: dict[str, set[str]] = {}
        self._takers = Rest()

    def _depending_on(self, roots: Iterable[str]) -> set[str]:
        """Returns what depends on `roots`; what a placeholder defaults to does not count."""
        return self._graph.depending(roots, lambda name: name not in self._placeholders)

    def ends(self) -> list[str]:
        """Returns the nodes behind which the model proper begins, each once, in the graph's order."""
        decoders = (u for u in self._graph.nodes.values() if u.op in self._kind.decoders)
        ends = [self._end(use.node) for use in decoders if self._is_fed_by_the_app(use)]
        return list(dict.fromkeys(name for name in ends if name is not None))

    def _is_fed_by_the_app(self, decoder: NodeUse) -> bool:
        """Says whether all that a decoder takes comes from constants and from text that the app feeds."""
        taken = data(decoder)
        if not self._other.isdisjoint(taken):
            return False
        if not self._text.isdisjoint(taken):
            return True
        saved = self._graph.nodes.get(taken[0]) if taken else None
        return saved is not None and saved.op == "Const" and not self._placeholders

    def _end(self, name: str) -> str | None:
        """Returns the node behind which the model proper begins, from a decoder on; None where none does."""
        passed = []
        while name not in self._last:
            passed.append(name)
            self._last[name] = None  # what comes back here leads nowhere
            takers = list(dict.fromkeys(self._graph.after(name)))
            if name in self._outputs or not takers:
                break
            if len(takers) > 1 or not self._may_follow(takers[0], name):
                self._last[name] = name
                break
            name = takers[0]
        self._last.update(dict.fromkeys(passed, self._last[name]))
        return self._last[name]

    def _may_follow(self, taker: str, name: str) -> bool:
        """May `taker` still be decoding: takes it, beside the value of `name`, only what is constant?"""
        use = self._graph.nodes[taker]
        if taker not in self._varying:
            self._varying[taker] = {n for n in data(use) if n in self._text or n in self._other}
        return use.op in self._kind.follow and self._varying[taker] <= {name}

    def tensors_read(self, names: Iterable[str]) -> Mapping[str, list[str]]:
        """Returns the outputs of nodes that others take, sorted: `a` for the first of `a`."""
        taken: dict[str, set[str]] = {name: set() for name in names}
        for use in self._graph.nodes.values():
            for tensor in use.inputs:
                if not tensor.startswith("^") and node_of(tensor) in taken:
                    taken[node_of(tensor)].add(tensor.removesuffix(":0"))
        return {name: sorted(tensors) for name, tensors in taken.items()}

    def give_up(self, end: str, transform: str) -> None:
        """Finds `end`, and all that gives something to what is found and to nothing else.

        Placeholders stay: what is fed instead goes into one as well.
        """
        todo = [end]
        while todo:
            name = todo.pop()
            if name not in self.found:
                self.found[name] = transform
                todo += filter(self._only_for_found, self._graph.before(name))

    def _only_for_found(self, name: str) -> bool:
        if name not in self._graph.nodes or name in self._outputs or name in self._placeholders:
            return False
        after = self._takers.first(name, lambda: self._graph.after(name), self.found.__contains__)
        return after is None


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
    search = _Search(uses, outputs, kind)
    for end, tensors in search.tensors_read(search.ends()).items():
        search.give_up(end, kind.transform(tensors))
    return search.found
