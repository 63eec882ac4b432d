"""Finds the nodes that decode a model's input. An app could decode the input instead. Pure.

Unlike leftovers from training (leftovers.py), outputs depend on these nodes: they can be removed only if the app feeds
their result. So a decoder counts only if all its inputs come from constants and string placeholders, with at least one
placeholder. In a graph that was saved with a picture instead of the placeholder, a constant counts if the graph has no
placeholder. Decoders in functions, loops and branches never count: an app cannot feed their nodes.
"""

from collections.abc import Iterable, Mapping, Sequence

from tfcarve.control_flow import OPENING
from tfcarve.models.node_use import NodeUse
from tfcarve.models.signature_def import node_of
from tfcarve.selection.graph import Graph, Pending, data_inputs
from tfcarve.selection.leftover_kinds import Decoding

# Nodes that depend on nodes of these ops may be in a loop or branch.


def _is_string(use: NodeUse) -> bool:
    dtype = use.attrs.get("dtype")
    return dtype is not None and dtype.value == "string"


def _is_placeholder(use: NodeUse) -> bool:
    return use.op.startswith("Placeholder")


class _Search:
    """The search in one graph: `found` maps each removable node to the command line that removes it."""

    def __init__(self, uses: Iterable[NodeUse], outputs: frozenset[str], kind: Decoding) -> None:
        self.found: dict[str, str] = {}
        self._graph = Graph(use for use in uses if not use.function)
        self._outputs = outputs
        self._kind = kind
        nodes = self._graph.nodes
        self._placeholders = {use.node for use in nodes.values() if _is_placeholder(use)}
        text = {name for name in self._placeholders if _is_string(nodes[name])}
        inner = {use.node for use in nodes.values() if use.op in OPENING}
        self._inner = self._graph.data_dependents(inner)
        sources = {use.node for use in nodes.values() if not data_inputs(use) and use.op != "Const"}
        self._text = self._depending_on(text)
        self._other = self._depending_on((sources | self._placeholders) - text)
        self._last: dict[str, str | None] = {}
        self._varying: dict[str, set[str]] = {}
        self._successors = Pending()

    def _depending_on(self, roots: Iterable[str]) -> set[str]:
        """Returns the nodes that depend on `roots`; a placeholder's default value does not count."""
        return self._graph.data_dependents(roots, lambda name: name not in self._placeholders)

    def last_nodes(self) -> list[str]:
        """Returns the last nodes before the model proper, each once, in the graph's order."""
        decoders = (u for u in self._graph.nodes.values() if u.op in self._kind.decoders)
        names = [self._last_node(use.node) for use in decoders if self._is_fed_by_the_app(use)]
        return list(dict.fromkeys(name for name in names if name is not None))

    def _is_fed_by_the_app(self, decoder: NodeUse) -> bool:
        """Returns whether all inputs of a decoder come from constants and strings that the app feeds."""
        inputs = data_inputs(decoder)
        if decoder.node in self._inner or not self._other.isdisjoint(inputs):
            return False
        if not self._text.isdisjoint(inputs):
            return True
        saved = self._graph.nodes.get(inputs[0]) if inputs else None
        return saved is not None and saved.op == "Const" and not self._placeholders

    def _last_node(self, name: str) -> str | None:
        """Returns the last node before the model proper, starting at a decoder; None if no path leads there."""
        passed = []
        while name not in self._last:
            passed.append(name)
            self._last[name] = None  # a cycle leads nowhere
            successors = list(dict.fromkeys(self._graph.successors(name)))
            if name in self._outputs or not successors:
                break
            if len(successors) > 1 or not self._may_follow(successors[0], name):
                self._last[name] = name
                break
            name = successors[0]
        self._last.update(dict.fromkeys(passed, self._last[name]))
        return self._last[name]

    def _may_follow(self, successor: str, name: str) -> bool:
        """Returns whether `successor` may be part of the decoding: all its inputs except `name` are constant."""
        use = self._graph.nodes[successor]
        if successor not in self._varying:
            self._varying[successor] = {
                n for n in data_inputs(use) if n in self._text or n in self._other
            }
        return use.op in self._kind.follow and self._varying[successor] <= {name}

    def tensors_read(self, names: Iterable[str]) -> Mapping[str, list[str]]:
        """Returns, for each node, its outputs that other nodes take, sorted; the first output of `a` is `a`."""
        taken: dict[str, set[str]] = {name: set() for name in names}
        for use in self._graph.nodes.values():
            for tensor in use.inputs:
                if not tensor.startswith("^") and node_of(tensor) in taken:
                    taken[node_of(tensor)].add(tensor.removesuffix(":0"))
        return {name: sorted(tensors) for name, tensors in taken.items()}

    def remove(self, last: str, transform: str) -> None:
        """Adds `last` to `found`, and all nodes whose successors are all in `found`.

        Placeholders stay: the app needs one to feed the decoded values.
        """
        todo = [last]
        while todo:
            name = todo.pop()
            if name not in self.found:
                self.found[name] = transform
                todo += filter(self._only_for_found, self._graph.predecessors(name))

    def _only_for_found(self, name: str) -> bool:
        if name not in self._graph.nodes or name in self._outputs or name in self._placeholders:
            return False
        remaining = self._successors.first(
            name, lambda: self._graph.successors(name), self.found.__contains__
        )
        return remaining is None


def decoding(uses: Sequence[NodeUse], outputs: frozenset[str], kind: Decoding) -> Mapping[str, str]:
    """Finds the nodes that a model does not need if the app decodes the input.

    Args:
      uses: the nodes, without leftovers from training.
      outputs: the nodes that are known to be outputs.
      kind: the ops of decoders and the ops that may follow a decoder.

    Returns:
      The names of the nodes, each with the command line that removes it.
    """
    if not any(use.op in kind.decoders for use in uses):
        return {}
    search = _Search(uses, outputs, kind)
    for last, tensors in search.tensors_read(search.last_nodes()).items():
        search.remove(last, kind.transform(tensors))
    return search.found
