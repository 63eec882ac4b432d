"""sparsify_gather: replaces sparse weights of shape [N, 1] with a hash table of the nonzero values.

Source: tensorflow/tools/graph_transforms/sparsify_gather.cc. A program must run the node `group_init_node` once before
the first step. Unlike TensorFlow's tool, it also transforms a Gather that reads its constant without an Identity, int32
ids, and several Gathers of one constant. It does not change weights of other shapes or types, or graphs with Switch
and Merge. Variables must be frozen before.
"""

import numpy as np

from tfcarve.control_flow import OPENING
from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import Constants
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    by_name,
    consumer_counts,
    control_inputs,
    data_inputs,
    set_inputs,
    unique_name,
)
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

PARAMETERS = frozenset(("group_init_node", "input_checkpoint"))
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_INT64 = 9
# Weights with a smaller absolute value count as zero.
_ZERO = 1.0e-5
_GATHERS = frozenset(("Gather", "GatherV2"))
_VARIABLES = frozenset(("Variable", "VariableV2"))


class _Tables:
    """Creates one table for each constant."""

    def __init__(self, known: dict[str, NodeDef], fed: set[str]) -> None:
        self._known = known
        self._fed = fed
        self._taken = set(known)
        self._constants = Constants(known.values())
        self._of: dict[str, Ref] = {}
        self.new: list[NodeDef] = []
        self.initializers: list[str] = []

    def weights(self, gather: NodeDef) -> NodeDef | None:
        """Returns the constant that a Gather reads along its first dimension, or None if a table can't replace it."""
        sources = data_inputs(gather)
        if not self._is_first_axis(gather) or sources[0].node in self._fed:
            return None
        found = self._known[sources[0].node]
        above = data_inputs(found)[:1] if found.op == "Identity" else []
        if above and above[0].node not in self._fed:
            found = self._known[above[0].node]
        if found.op in _VARIABLES:
            raise InvalidInput(
                f"sparsify_gather: node {found.name!r}: is a {found.op}: freeze the model first: "
                "tfcarve freeze --checkpoint"
            )
        if found.op != "Const" or nodes.tensor(found).dtype != nodes.FLOAT:
            return None
        shape = nodes.shape(found)
        return found if len(shape) == 2 and shape[1] == 1 else None

    def _is_first_axis(self, gather: NodeDef) -> bool:
        sources = data_inputs(gather)
        if gather.op == "Gather" or len(sources) != 3:
            return gather.op == "Gather" and len(sources) == 2
        axis = self._known[sources[2].node]
        is_batched = "batch_dims" in gather.attr and gather.attr["batch_dims"].i
        return axis.op == "Const" and not nodes.value(axis).any() and not is_batched

    def _node(self, op: str, name: str, *inputs: Ref, **types: int) -> Ref:
        created = nodes.make(op, unique_name(name, self._taken), inputs)
        for key, number in types.items():
            created.attr[key].type = number
        self.new.append(created)
        return Ref(created.name)

    def _constant(self, near: Ref, name: str, array: Array) -> Ref:
        name = unique_name(name, self._taken)
        self.new.append(self._constants.beside(near, name, array))
        return Ref(self.new[-1].name)

    def table(self, weights: NodeDef) -> Ref:
        """Returns the table of a constant."""
        if weights.name not in self._of:
            flat = nodes.value(weights).reshape(-1)
            nonzero = np.flatnonzero(~(np.abs(flat) < _ZERO))
            values = flat[nonzero]
            if not len(nonzero):  # a table can't be initialized without keys
                nonzero, values = np.zeros(1, np.int64), np.zeros(1, np.float32)
            near = Ref(weights.name)
            keys = self._constant(near, f"{weights.name}/indices", nonzero.astype(np.int64))
            data = self._constant(near, f"{weights.name}/values", values)
            table = self._node(
                "HashTable", f"{weights.name}/HashTable", key_dtype=_INT64, value_dtype=nodes.FLOAT
            )
            name = f"{weights.name}/InitializeTable"
            start = self._node(
                "InitializeTable", name, table, keys, data, Tkey=_INT64, Tval=nodes.FLOAT
            )
            self.initializers.append(start.node)
            self._of[weights.name] = table
        return self._of[weights.name]

    def look_up(self, gather: NodeDef, table: Ref) -> NodeDef:
        """Returns the node that replaces a Gather."""
        ids = data_inputs(gather)[1]
        if nodes.dtype(gather, "Tindices") == nodes.INT32:
            types = {"SrcT": nodes.INT32, "DstT": _INT64}
            ids = self._node("Cast", f"{gather.name}/ids", ids, **types)
        near = data_inputs(gather)[1]
        zero = self._constant(near, f"{gather.name}/Const", np.zeros((), np.float32))
        name = f"{gather.name}/LookupTableFind"
        found = self._node("LookupTableFind", name, table, ids, zero, Tin=_INT64, Tout=nodes.FLOAT)
        last = self._constant(near, f"{gather.name}/ExpandDims/Const", np.array(-1, np.int32))
        types_of = {"T": nodes.FLOAT, "Tdim": nodes.INT32}
        attrs = {key: nodes.type_value(number) for key, number in types_of.items()}
        control = [Ref(name, CONTROL) for name in control_inputs(gather)]
        return nodes.make("ExpandDims", gather.name, (found, last, *control), **attrs)


def _without_unread(graph: Graph, read: set[str], context: Context) -> Graph:
    """Removes the constants and their Identity nodes that no Gather reads any more."""
    for _ in range(2):
        counts = consumer_counts(graph)
        removed = {name for name in read if not counts.get(name)} - context.preserved()
        graph = graph.with_nodes(node for node in graph.nodes if node.name not in removed)
    return graph


def apply(graph: Graph, context: Context) -> Graph:
    """Replaces weights.

    Raises InvalidInput if they are a variable, a constant is damaged, or a checkpoint is given.
    """
    checkpoint = context.parameters.one("input_checkpoint")
    if checkpoint:
        raise InvalidInput(
            f"sparsify_gather: input_checkpoint={checkpoint!r}: variables must be frozen before: "
            f"tfcarve freeze --checkpoint {checkpoint}"
        )
    known = by_name(graph)
    if any(node.op in OPENING for node in graph.nodes):
        return graph
    tables = _Tables(known, context.input_nodes())
    listed: list[NodeDef] = []
    read: set[str] = set()
    for node in graph.nodes:
        is_gather = node.op in _GATHERS and node.name not in context.input_nodes()
        weights = tables.weights(node) if is_gather else None
        if weights is None:
            listed.append(node)
            continue
        read |= {weights.name, *(source.node for source in data_inputs(node))}
        created = tables.look_up(node, tables.table(weights))
        listed += [*tables.new, created]
        tables.new.clear()
    if not tables.initializers:
        return graph
    name = context.parameters.one("group_init_node", "group_deps")
    start = known.get(name)
    if start is None or start.op != "NoOp":
        start = nodes.make("NoOp", unique_name(name, set(known)), ())
        listed.append(start)
    control = [*control_inputs(start), *tables.initializers]
    set_inputs(start, [Ref(text, CONTROL) for text in control])
    read = {n for n in read if known[n].op in ("Const", "Identity")}
    return _without_unread(graph.with_nodes(listed), read, context)
