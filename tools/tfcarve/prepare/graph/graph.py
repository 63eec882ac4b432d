"""The graph that transforms work on, and queries and edits of its edges."""

from collections import deque
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tfcarve.control_flow import MERGES, NEXT_ITERATIONS
from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph.messages import FunctionDefLibrary, NodeDef

CONTROL = -1
# The fix for a graph with a cycle.
AGAIN = "export the model again"


class Ref(NamedTuple):
    """A reference to an output of a node; output CONTROL is a control dependency."""

    node: str
    output: int = 0

    def text(self) -> str:
        """Returns the reference as an entry of NodeDef.input."""
        if self.output == CONTROL:
            return f"^{self.node}"
        return f"{self.node}:{self.output}" if self.output else self.node


def ref(text: str) -> Ref:
    """Parses an entry of NodeDef.input: "a", "a:1", "^a".

    Source: ParseTensorName in tensorflow/core/graph/tensor_id.cc.
    """
    if text.startswith("^"):
        return Ref(text[1:], CONTROL)
    name, colon, index = text.rpartition(":")
    if colon and name and index.isdecimal() and index.isascii() and len(index) < 10:
        return Ref(name, int(index))
    return Ref(text)


@dataclass(frozen=True)
class Graph:
    """A GraphDef as separate messages, so that a removed node frees its memory.

    Attributes:
      nodes: in the order of the file, with unique names. A transform owns them and may modify them.
      library: the functions.
      versions: the other fields of the GraphDef, serialized.
    """

    nodes: list[NodeDef]
    library: FunctionDefLibrary = field(default_factory=FunctionDefLibrary)
    versions: bytes = b""

    def with_nodes(self, nodes: Iterable[NodeDef]) -> "Graph":
        """Returns the graph with other nodes."""
        return replace(self, nodes=list(nodes))


def data_inputs(node: NodeDef) -> list[Ref]:
    """Returns a node's data inputs."""
    return [ref(text) for text in node.input if not text.startswith("^")]


def data_texts(node: NodeDef) -> list[str]:
    """Returns a node's data inputs in the form of NodeDef.input."""
    return [text for text in node.input if not text.startswith("^")]


def control_inputs(node: NodeDef) -> list[str]:
    """Returns the names of the nodes in a node's control inputs."""
    return [text[1:] for text in node.input if text.startswith("^")]


def by_name(graph: Graph) -> dict[str, NodeDef]:
    """Returns the nodes by name."""
    return {node.name: node for node in graph.nodes}


def consumers(graph: Graph) -> dict[Ref, list[NodeDef]]:
    """Returns the consumers of each output, one entry for each input; control inputs included."""
    found: dict[Ref, list[NodeDef]] = {}
    for node in graph.nodes:
        for text in node.input:
            found.setdefault(ref(text), []).append(node)
    return found


def readers(graph: Graph) -> dict[str, list[tuple[NodeDef, int]]]:
    """Returns the nodes that read the first output of each node, with the numbers of their inputs."""
    found: dict[str, list[tuple[NodeDef, int]]] = {}
    for node in graph.nodes:
        for index, source in enumerate(data_inputs(node)):
            if source.output == 0:
                found.setdefault(source.node, []).append((node, index))
    return found


def consumer_counts(graph: Graph) -> dict[str, int]:
    """Returns for each node the number of inputs that refer to it, control inputs included."""
    found: dict[str, int] = {}
    for node in graph.nodes:
        for text in node.input:
            name = ref(text).node
            found[name] = found.get(name, 0) + 1
    return found


def reachable(graph: Graph, names: Iterable[str], stop: Collection[str] = ()) -> set[str]:
    """Returns `names` and the names of all nodes that they depend on; inputs of nodes in `stop` are not followed."""
    nodes = by_name(graph)
    found = set(names)
    todo = list(found)
    while todo:
        name = todo.pop()
        if name in stop or name not in nodes:
            continue
        for text in nodes[name].input:
            source = ref(text).node
            if source not in found:
                found.add(source)
                todo.append(source)
    return found


def unique_name(wanted: str, taken: set[str]) -> str:
    """Returns `wanted`, with a numeric suffix if it is taken, and adds it to `taken`."""
    name, number = wanted, 0
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


class Replacements:
    """Follows chains of replaced tensors to their end; each chain is walked once."""

    def __init__(self, replaced: Mapping[Ref, Ref]) -> None:
        """Creates the chains from each tensor's direct replacement."""
        self._by = replaced
        self._final: dict[Ref, Ref] = {}

    def final(self, source: Ref) -> Ref:
        """Returns the end of the chain that starts at `source`; in a cycle, one of its tensors."""
        passed: dict[Ref, None] = {}
        while source not in self._final and source in self._by and source not in passed:
            passed[source] = None
            source = self._by[source]
        source = self._final.get(source, source)
        self._final.update(dict.fromkeys(passed, source))
        return source


def rewire(nodes: Iterable[NodeDef], replaced: Mapping[Ref, Ref]) -> None:
    """Replaces all inputs that are a key of `replaced` with the end of their chain of replacements.

    Control inputs are replaced if their own Ref is a key; duplicates are removed.
    """
    chains = Replacements(replaced)
    for node in nodes:
        old = [ref(text) for text in node.input]
        new = [chains.final(source) for source in old]
        if new != old:
            set_inputs(node, new)


def set_inputs(node: NodeDef, sources: Iterable[Ref]) -> None:
    """Sets a node's inputs, control inputs last and each once."""
    listed = list(sources)
    data = [source.text() for source in listed if source.output != CONTROL]
    control = dict.fromkeys(source.text() for source in listed if source.output == CONTROL)
    node.input[:] = [*data, *control]


def require_new(name: str, seen: Container[str]) -> None:
    """Raises InvalidInput if `name` is in `seen`."""
    if name in seen:
        raise InvalidInput(f"node {name!r}: two nodes have this name: names must be unique")


def topological_order(graph: Graph) -> list[NodeDef]:
    """Returns the nodes in topological order, stable with respect to their order in the graph.

    Back edges of loops (from NextIteration to Merge) are ignored. Raises InvalidInput if there is another cycle, or if
    two nodes have the same name, which is possible in a function whose body was not checked.
    """
    nodes = by_name(graph)
    pending: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    for node in graph.nodes:
        require_new(node.name, pending)
        sources = _before(node, nodes)
        pending[node.name] = len(sources)
        for source in sorted(sources):
            users.setdefault(source, []).append(node.name)
    ready = deque(node.name for node in graph.nodes if not pending[node.name])
    order: list[NodeDef] = []
    while ready:
        name = ready.popleft()
        order.append(nodes[name])
        for user in users.get(name, ()):
            pending[user] -= 1
            if not pending[user]:
                ready.append(user)
    if len(order) < len(graph.nodes):
        left = [name for name, count in pending.items() if count]
        raise InvalidInput(
            f"node {_on_cycle(nodes, left)!r}: depends on itself through a cycle that is not a NextIteration loop: {AGAIN}"
        )
    return order


def _on_cycle(nodes: Mapping[str, NodeDef], left: Sequence[str]) -> str:
    """Returns a node on a cycle; each node in `left` depends on another one."""
    among = set(left)
    name, seen = left[0], set[str]()
    while name not in seen:
        seen.add(name)
        name = next(s for s in sorted(_before(nodes[name], nodes)) if s in among)
    return name


def _before(node: NodeDef, nodes: Mapping[str, NodeDef]) -> set[str]:
    """Returns the names of the nodes that must come before a node."""
    sources = {ref(text).node for text in node.input} & nodes.keys()
    if node.op not in MERGES:
        return sources
    return {source for source in sources if nodes[source].op not in NEXT_ITERATIONS}
