"""Computes scalars of a program that have the same value in all runs, such as predicates of conditions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tfcarve.control_flow import ALL_SWITCHES, ENTERS, EXITS
from tfcarve.errors import InvalidInput
from tfcarve.prepare.control_flow import predicates
from tfcarve.prepare.freeze import nodes
from tfcarve.prepare.freeze.bodies import copied
from tfcarve.prepare.freeze.computed import computed
from tfcarve.prepare.freeze.links import Links, Vertex
from tfcarve.prepare.freeze.ops import CONTROL_FLOW, DATAFLOW_CONTROL, Ops, functions_of
from tfcarve.prepare.freeze.stores import INITIALIZED, Stores
from tfcarve.prepare.freeze.tensor_names import parsed, reference
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Graph, data_texts, topological_order
from tfcarve.prepare.graph.messages import NodeDef, TensorProto

# Returns the value of the variable that a node creates; raises InvalidInput if it is unknown.
ValueOf = Callable[[NodeDef], TensorProto]
_Key = tuple[str, str]

# Ops whose outputs have the value of the first input, if they have a value.
_PASS_THROUGH = frozenset(("Identity", "RefIdentity")) | ENTERS | EXITS | ALL_SWITCHES
_NEVER = DATAFLOW_CONTROL | CONTROL_FLOW.keys() | {"LoopCond", "NextIteration", "RefNextIteration"}
_READS = frozenset(("ReadVariableOp", "Variable", "VariableV2"))
# Attributes that name other nodes, or that TensorFlow infers.
_STRIPPED = ("_class", "_output_shapes")
_MAX_DEPTH = 100


class KnownValues:
    """The tensors of a program that do not depend on its inputs or on variables that it changes.

    Args:
      links: the program.
      stores: its variables.
      value_of: returns the value of a variable.
      ops: the OpDefs.

    Raises:
      InvalidInput: a body has a cycle.
    """

    def __init__(self, links: Links, stores: Stores, value_of: ValueOf, ops: Ops) -> None:
        self._links = links
        self._stores = stores
        self._value_of = value_of
        self._ops = ops
        self._changed = {use.store.name for use in stores.changes()}
        # The tensors that arguments and nodes pass on, and the nodes that compute a known tensor.
        self._passed_on: dict[_Key, Vertex] = {}
        self._known: dict[_Key, NodeDef] = {}
        self._values: dict[Vertex, Any] = {}
        for name, body in links.bodies.items():
            for argument in body.arguments:
                self._add_argument(Vertex(name, argument.name))
            for node in topological_order(Graph(list(body.nodes))):
                self._add(Vertex(name, node.name), node)

    def scalar(self, body: str, text: str) -> Any | None:
        """Returns the value of a scalar, an input of a node in `body`; None if it is unknown before the model runs."""
        return self._scalar(Vertex(body, *parsed(text)), _MAX_DEPTH)

    def _scalar(self, vertex: Vertex, depth: int) -> Any | None:
        vertex = self._origin(vertex)
        node = self._links.nodes[vertex.body].get(vertex.node)
        if vertex[:2] in self._known:
            if vertex not in self._values:
                self._values[vertex] = self._computed(vertex)
            return self._values[vertex]
        if node is None or not depth:
            return None
        # The operands of a scalar are scalars.
        return predicates.logical(
            node, lambda text: self._scalar(Vertex(vertex.body, *parsed(text)), depth - 1)
        )

    def _origin(self, vertex: Vertex) -> Vertex:
        while vertex[:2] in self._passed_on:
            vertex = self._passed_on[vertex[:2]]
        return vertex

    def _add_argument(self, argument: Vertex) -> None:
        origins = list(self._links.origins(argument))
        # An argument of a loop is known if each iteration passes it on.
        if origins and all(self._is_same(argument, origin) for origin in origins[1:]):
            self._passed_on[argument[:2]] = origins[0]

    def _is_same(self, argument: Vertex, result: Vertex) -> bool:
        """Returns whether a loop's body returns its argument with the number of `argument`."""
        for _ in range(_MAX_DEPTH):
            node = self._links.nodes[result.body].get(result.node)
            if node is None:
                number = self._links.number(result)
                return number is not None and number == self._links.number(argument)
            if node.op != "Identity" or not node.input:
                break
            result = Vertex(result.body, *parsed(node.input[0]))
        return False

    def _add(self, vertex: Vertex, node: NodeDef) -> None:
        read = [Vertex(vertex.body, *parsed(text)) for text in data_texts(node)]
        if node.op in _READS | INITIALIZED:
            store = self._stores.at(read[0] if read else vertex)
            if store is not None and (node.op in INITIALIZED or store.name not in self._changed):
                self._known[vertex[:2]] = node
        elif node.op in _PASS_THROUGH and read:
            self._passed_on[vertex[:2]] = read[0]
        elif node.op == "Const" or (
            node.op not in _NEVER
            and not node.op.startswith("Placeholder")
            and not self._ops.is_stateful(node)
            and not any(True for _ in functions_of(node))
            and all(self._origin(source)[:2] in self._known for source in read)
        ):
            self._known[vertex[:2]] = node

    def _computed(self, vertex: Vertex) -> Any | None:
        """Returns the value of a known tensor; None if TensorFlow cannot compute it, or it is not a scalar."""
        names: dict[_Key, str] = {vertex[:2]: "n0"}
        todo = [vertex[:2]]
        created: list[NodeDef] = []
        try:
            while todo:
                key = todo.pop()
                created.append(self._copy(key, names, todo))
            (found,) = computed(self._ops.evaluator, created, [reference("n0", vertex.port)])
            value = tensors.to_array(found, vertex.node)
        except InvalidInput:
            return None
        return value[()] if value.ndim == 0 else None

    def _copy(self, key: _Key, names: dict[_Key, str], todo: list[_Key]) -> NodeDef:
        """Returns a copy of a known node with the name in `names`; adds its inputs to `names` and `todo`."""
        node = self._known[key]
        if node.op in INITIALIZED:
            return nodes.constant(names[key], np.array(True), ())
        read = [Vertex(key[0], *parsed(text)) for text in data_texts(node)]
        if node.op in _READS:
            store = self._stores.at(read[0] if read else Vertex(*key))
            assert store is not None
            return nodes.constant(names[key], self._value_of(store.node), ())
        created = copied(node)
        created.name, created.device = names[key], ""
        for attr in _STRIPPED:
            created.attr.pop(attr, None)
        del created.input[:]
        for source in map(self._origin, read):
            if source[:2] not in names:
                names[source[:2]] = f"n{len(names)}"
                todo.append(source[:2])
            created.input.append(reference(names[source[:2]], source.port))
        return created
