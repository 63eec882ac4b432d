"""Finds the nodes of a program whose side effects no output needs. Pure.

Each run of a frozen graph starts with equal values of variables. So an update can be removed only if no output reads the
variable after the update or before it: a read before the update follows the update of the previous run.
"""

import re
from collections.abc import Iterator, Mapping

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.links import MAIN, Links, Vertex
from tfcarve.prepare.freeze.needs import Needs
from tfcarve.prepare.freeze.ops import CONTROL_FLOW, Ops, is_pipeline
from tfcarve.prepare.freeze.stores import Stores, Use
from tfcarve.prepare.freeze.tables import INITIALIZERS
from tfcarve.prepare.freeze.tensor_names import parsed, reference
from tfcarve.prepare.graph.graph import data_texts
from tfcarve.prepare.graph.messages import NodeDef

_SUMMARIES = re.compile(
    r"Write\w*Summary|(Flush|Close)SummaryWriter|CreateSummary\w+Writer|ImportEvent"
)
_ASSERTION = "Assert"
# Nodes with these ops change nothing in a frozen graph.
_NO_EFFECT = INITIALIZERS | {"DisableCopyOnRead"}
_FIX = (
    "choose --outputs that do not need it, or save the model without the update (a Keras model: a function that calls it with "
    "training=False)"
)
# Texts about the removed nodes, by their kind.
KINDS = {
    "update": "updates of variables and tables that no output reads",
    "assertion": "assertions",
    "print": "Print nodes",
    "summary": "summaries",
    "pipeline": "iterators and queues that no output reads",
}


class Removable:
    """Finds the nodes to remove.

    Attributes:
      links: the program.
      removed: the names of the nodes to remove, by body.
      named: the names of the removed nodes, by kind.
    """

    def __init__(self, program: Program, keeps_assertions: bool, ops: Ops) -> None:
        self.links = Links(program)
        self.removed: dict[str, set[str]] = {name: set() for name in self.links.bodies}
        self.named: dict[str, dict[str, None]] = {kind: {} for kind in KINDS}
        self._keeps_assertions = keeps_assertions
        self._ops = ops
        self._stores = Stores(self.links, ops)
        self._updates: dict[Vertex, list[Use]] = {}
        for use in self._stores.changes():
            self._updates.setdefault(use.vertex, []).append(use)
        roots = {
            Vertex(MAIN, *parsed(result.tensor)): f"the output {result.name!r}"
            for result in program.main.results
        }
        self._needs = Needs(self.links, self._stores, roots | self._effects_that_stay(roots))

    def _nodes(self) -> Iterator[tuple[str, NodeDef]]:
        for name, body in self.links.bodies.items():
            for node in body.nodes:
                if node.op not in CONTROL_FLOW:
                    yield name, node

    def _effects_that_stay(self, outputs: Mapping[Vertex, str]) -> dict[Vertex, str]:
        """Returns the nodes that run for other side effects, and the nodes that determine whether they run."""
        found: dict[Vertex, str] = {}
        for name, node in self._nodes():
            if not self._kind(name, node) and self._ops.is_stateful(node):
                for vertex in (Vertex(name, node.name), *self.links.deciding(name)):
                    if vertex not in outputs:
                        found.setdefault(vertex, f"the node {node.name!r} ({node.op})")
        return found

    def _kind(self, body: str, node: NodeDef) -> str:
        """Returns the kind of side effect that is removed; "none" for an op without one, "" for any other node."""
        if Vertex(body, node.name) in self._updates:
            return "update"
        if node.op in _NO_EFFECT:
            return "none"
        if node.op == _ASSERTION and not self._keeps_assertions:
            return "assertion"
        if node.op == "PrintV2":
            return "print"
        if _SUMMARIES.fullmatch(node.op):
            return "summary"
        return "pipeline" if is_pipeline(node.op) else ""

    def find(self) -> None:
        """Finds the nodes to remove; raises InvalidInput if an output needs the effect of such a node."""
        for name, node in self._nodes():
            kind = self._kind(name, node)
            if kind == "update":
                for use in self._updates[Vertex(name, node.name)]:
                    self._require_unread(use)
                    self.named[kind][use.store.node.name] = None
            elif kind in self.named:
                self.named[kind][node.name] = None
            if kind == "pipeline":
                self._require_unneeded(name, node)
            if kind:
                self.removed[name].add(node.name)
        for name, removed in self.removed.items():
            if removed:
                self._add_readers(name, removed)

    def _require_unread(self, use: Use) -> None:
        needed = self._needs.of(use.vertex.body, use.node.name)
        reader = self._needs.reader(use.store.name)
        if needed is not None:
            vertex, how, before = needed, "needs its result", []
        elif reader is not None:
            vertex, how, before = reader, "reads it", [use.node.name, use.store.node.name]
        else:
            return
        root = self._needs.root(vertex)
        option = "--assertions drop, or " if root.endswith(f"({_ASSERTION})") else ""
        raise InvalidInput(
            f"node {use.node.name!r}: {use.node.op} changes {use.store.description} when the model runs, and {root} {how} "
            f"({self._needs.path(vertex, *before)}): a frozen graph has only constants: {option}{_FIX}"
        )

    def _require_unneeded(self, body: str, node: NodeDef) -> None:
        vertex = self._needs.of(body, node.name)
        if vertex is None:
            return
        way = [one for one in self._needs.way(vertex) if is_pipeline(self.links.op(one))]
        tensors = [reference(way[-1].node, port) for port in self._needs.ports(way[-1])]
        fix = f"pass them as inputs: --inputs {','.join(tensors)}"
        if way[-1].body != MAIN:
            fix = "save a function that takes them as arguments"
        raise InvalidInput(
            f"node {way[-1].node!r}: {self.links.op(way[-1])} gets examples from a dataset or a queue, and "
            f"{self._needs.root(vertex)} needs them ({self._needs.path(vertex)}): a frozen graph has neither: {fix}"
        )

    def _add_readers(self, name: str, removed: set[str]) -> None:
        """Adds the nodes that only process outputs of removed nodes."""
        body = self.links.bodies[name]
        readers: dict[str, list[NodeDef]] = {}
        for node in body.nodes:
            for text in data_texts(node):
                readers.setdefault(parsed(text)[0], []).append(node)
        todo = list(removed)
        while todo:
            for node in readers.get(todo.pop(), ()):
                if node.op in CONTROL_FLOW or self._needs.of(name, node.name) is not None:
                    raise InvalidInput(
                        f"node {node.name!r}: {node.op} takes the result of a side effect: a frozen graph has only constants: {_FIX}"
                    )
                if node.name not in removed:
                    removed.add(node.name)
                    todo.append(node.name)
        if any(parsed(result.tensor)[0] in removed for result in body.results):
            raise InvalidInput(
                f"function {name!r}: returns the result of a side effect: a frozen graph has only constants: {_FIX}"
            )
