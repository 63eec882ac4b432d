"""Finds the variables and tables of a program, and the nodes that read and change them. Pure.

Sources: tensorflow/core/ops/{resource_variable,state,lookup,random}_ops.cc.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tfcarve.prepare.freeze.handles import Port, propagate
from tfcarve.prepare.freeze.links import Links, Vertex
from tfcarve.prepare.freeze.ops import CONTROL_FLOW, DATAFLOW_CONTROL, RESOURCE, Ops
from tfcarve.prepare.freeze.tables import INITIALIZERS, TABLES
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.graph.graph import data_texts
from tfcarve.prepare.graph.messages import NodeDef

VARIABLES = frozenset(("VarHandleOp", "VariableV2", "Variable"))
INITIALIZED = frozenset(("VarIsInitializedOp", "IsVariableInitialized"))
# Ops that do not read the value: a frozen variable is initialized, and its shape does not change.
_NO_READS = INITIALIZED | {"VariableShape", "DisableCopyOnRead"}
_FORWARDS = DATAFLOW_CONTROL | {
    "Identity",
    "RefIdentity",
    "IdentityN",
    "NextIteration",
    "RefNextIteration",
}


@dataclass(frozen=True, slots=True)
class Store:
    """A variable or a table: the node that creates it, and the name that it shares with other such nodes."""

    node: NodeDef
    name: str

    @property
    def description(self) -> str:
        """A description for messages."""
        return f"the {'table' if self.node.op in TABLES else 'variable'} {self.node.name!r}"


@dataclass(frozen=True, slots=True)
class Use:
    """A node that reads or changes a variable or table."""

    vertex: Vertex
    node: NodeDef
    store: Store


def _text(node: NodeDef, key: str) -> str:
    return node.attr[key].s.decode("utf-8", "replace") if key in node.attr else ""


def _store(node: NodeDef) -> Store:
    return Store(node, f"{_text(node, 'container')}/{_text(node, 'shared_name') or node.name}")


class Stores:
    """The variables and tables of a program.

    Attributes:
      of: for each body, the tensors that are variables and tables.
    """

    def __init__(self, links: Links, ops: Ops) -> None:
        """Finds the variables and tables."""
        self.of: dict[str, Mapping[Port, Store]] = {}
        self._links = links
        self._ops = ops
        for name, body in links.bodies.items():
            known: dict[Port, Store] = {
                (node.name, 0): _store(node) for node in body.nodes if node.op in VARIABLES | TABLES
            }
            for argument in body.arguments:
                origin = next(links.origins(Vertex(name, argument.name)), None)
                store = None if origin is None else self.at(origin)
                if store is not None:
                    known[argument.name, 0] = store
            self.of[name] = propagate(body.nodes, known)

    def at(self, vertex: Vertex) -> Store | None:
        """Returns the variable or table that a tensor is, or None."""
        return self.of[vertex.body].get((vertex.node, vertex.port))

    def reads(self, vertex: Vertex) -> Iterator[Store]:
        """Yields the variables and tables whose values a node reads."""
        node = self._links.nodes[vertex.body].get(vertex.node)
        if (
            node is not None
            and node.op not in _FORWARDS | CONTROL_FLOW.keys() | _NO_READS | INITIALIZERS
        ):
            for number, store in self._inputs(vertex.body, node):
                if not self._changes(node, number):
                    yield store

    def changes(self) -> Iterator[Use]:
        """Yields the nodes that change a variable or table, or pass it on in another form.

        A table's initializer is not yielded: a frozen table has the content that the initializer gives it.
        """
        for name, body in self._links.bodies.items():
            for node in body.nodes:
                for number, store in self._inputs(name, node):
                    if self._changes(node, number) and node.op not in INITIALIZERS:
                        yield Use(Vertex(name, node.name), node, store)

    def _inputs(self, body: str, node: NodeDef) -> Iterator[tuple[int, Store]]:
        for number, text in enumerate(data_texts(node)):
            store = self.of[body].get(parsed(text))
            if store is not None:
                yield number, store

    def _changes(self, node: NodeDef, number: int) -> bool:
        """Returns whether a node may change the variable or table that is its input `number`."""
        if node.op in _FORWARDS | CONTROL_FLOW.keys() | _NO_READS or self._ops.only_reads(node):
            return False
        argument = self._ops.argument(node, number)
        if argument is None or argument.is_ref or argument.type == RESOURCE:
            return True
        return argument.type_attr in node.attr and node.attr[argument.type_attr].type == RESOURCE
