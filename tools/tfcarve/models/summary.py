"""Summary of a model: the figures of TensorFlow's summarize_graph, and the signatures. Pure.

Source: tensorflow/tools/graph_transforms/summarize_graph_main.cc.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tfcarve.json_codec import JsonDocument
from tfcarve.models import outputs
from tfcarve.models.model_functions import ModelFunction, model_functions
from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.outputs import INPUTS, Types
from tfcarve.models.signature_def import Signature, node_of
from tfcarve.models.values import NO_VALUES, Values, value_of

VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp"))
# Ops of nodes that are not outputs although no node reads them.
_NOT_OUTPUTS = frozenset(("NoOp", "Assert", "Assign", "SaveV2", "Const"))
# Lists are cut at this length: no model has so many inputs, and an item takes far more memory than a tiny node.
_MAX_LISTED = 10_000


_Item = TypeVar("_Item")


@dataclass(slots=True)
class _Listed(Generic[_Item]):
    """A list of at most _MAX_LISTED items, and the number of other items."""

    items: list[_Item] = field(default_factory=list)
    more: int = 0

    def add(self, item: _Item) -> None:
        """Adds an item, or counts it."""
        if len(self.items) < _MAX_LISTED:
            self.items.append(item)
        else:
            self.more += 1


class Tensor(JsonDocument, frozen=True):
    """An input, output or variable. Shape None is an unknown rank, -1 an unknown dimension. In TensorFlow Lite, op is ""."""

    name: str
    op: str
    dtype: str
    shape: tuple[int, ...] | None


class MissingInput(JsonDocument, frozen=True):
    """An input of a node of the graph that refers to a node which does not exist."""

    node: str
    input: str


class Summary(JsonDocument, frozen=True, kw_only=True):
    """Summary of a model.

    Attributes:
      format: the model's format.
      remark: the part of the model that the summary does not show, and the reason; "" if it shows the whole model.
      signatures: the signatures by name, also of a TensorFlow Lite model.
      model_functions: the functions of a SavedModel, which `--signature` can name, too.
      inputs: the nodes that an app feeds; of a TensorFlow Lite model the inputs of its first subgraph.
      outputs: the nodes that the signatures fetch. Without signatures, the probable outputs among the nodes that no other
        node reads, the most probable ones first. If no such node is a probable output: the nodes that compute predictions,
        or all nodes that no other node reads. Of a TensorFlow Lite model the outputs of its first subgraph.
      other_outputs: number of the other nodes that no other node reads, of each op, most frequent first.
      variables: of the graph.
      constant_values: of the Const nodes of the graph and its functions.
      variable_values: of the variables of the graph and its functions.
      parameters: the number of elements of all constants and variables.
      nodes: number of nodes of the graph and its functions.
      functions: number of functions.
      control_edges: number of control inputs of the nodes of the graph.
      ops: number of nodes of each op, most frequent first.
      devices: number of nodes of the graph that request each device.
      missing_inputs: inputs that do not exist. A graph with such inputs cannot be loaded.
      unlisted: for each list that is cut, the number of other items.
    """

    format: str
    remark: str
    signatures: Mapping[str, Signature]
    model_functions: tuple[ModelFunction, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    other_outputs: Mapping[str, int]
    variables: tuple[Tensor, ...]
    constant_values: Values
    variable_values: Values
    parameters: int
    nodes: int
    functions: int
    control_edges: int
    ops: Mapping[str, int]
    devices: Mapping[str, int]
    missing_inputs: tuple[MissingInput, ...]
    unlisted: Mapping[str, int]


def tensor(use: NodeUse, types: Types | None) -> Tensor:
    """Returns a node's name and op, the type of its first output or of the variable, and the shape that it states."""
    dtype = types.dtype(use) if types else ""
    stated = use.attrs.get("dtype")
    if use.op in VARIABLES and stated is not None and stated.kind == "type":
        dtype = str(stated.value)  # the output of a VarHandleOp is a resource
    shape = use.attrs.get("shape")
    dims = shape.value if shape is not None and shape.kind == "shape" else None
    return Tensor(use.node, use.op, dtype, dims)


def _remark(model: Model) -> str:
    if model.format == "tflite-flex":
        if not model.nodes:
            return "no TensorFlow ops (Flex ops): TensorFlow Lite runs this model by itself"
        return "a TensorFlow Lite model: only its TensorFlow ops (Flex ops) are shown"
    if model.format == "ops-list":
        return f"an ops list: requests {len(model.requests)} ops by name"
    return ""


def _frequent(found: Counter[str]) -> dict[str, int]:
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


@dataclass(slots=True)
class _Facts:
    """The results of one pass over the nodes. Nodes are not kept: they take far more memory than the file."""

    connected: bool
    types: Types
    inputs: _Listed[Tensor] = field(default_factory=_Listed)
    variables: _Listed[Tensor] = field(default_factory=_Listed)
    ops: Counter[str] = field(default_factory=Counter)
    devices: Counter[str] = field(default_factory=Counter)
    constant_values: Values = NO_VALUES
    variable_values: Values = NO_VALUES
    control_edges: int = 0
    read: set[str] = field(default_factory=set)

    def add(self, use: NodeUse) -> None:
        self.ops[use.op] += 1
        if use.op == "Const":
            self.constant_values += value_of(use)
        elif use.op in VARIABLES:
            self.variable_values += value_of(use)
        if use.function or not self.connected:
            return
        if use.op in INPUTS:
            self.inputs.add(tensor(use, self.types))
        if use.op in VARIABLES:
            self.variables.add(tensor(use, self.types))
        if use.device:
            self.devices[use.device] += 1
        self.control_edges += sum(text.startswith("^") for text in use.inputs)
        self.read.update(map(node_of, use.inputs))


@dataclass(slots=True)
class _Ends:
    """The nodes of a graph that no other node reads, and the inputs that do not exist.

    Attributes:
      likely: the probable outputs, by their rank.
      others: all other nodes that no other node reads.
      other_ops: the ops of `others`.
      missing: the inputs that do not exist.
    """

    likely: tuple[_Listed[Tensor], _Listed[Tensor]] = field(
        default_factory=lambda: (_Listed[Tensor](), _Listed[Tensor]())
    )
    others: _Listed[Tensor] = field(default_factory=_Listed)
    other_ops: Counter[str] = field(default_factory=Counter)
    missing: _Listed[MissingInput] = field(default_factory=_Listed)

    def add(self, use: NodeUse, rank: int | None, types: Types) -> None:
        found = tensor(use, types)
        if rank is not None:
            self.likely[rank].add(found)
            return
        self.others.add(found)
        self.other_ops[use.op] += 1

    def outputs(self) -> tuple[_Listed[Tensor], Mapping[str, int]]:
        """Returns the probable outputs and the number of other nodes of each op; all nodes if no node is probable."""
        first, second = self.likely
        items = [*first.items, *second.items]
        if not items:
            return self.others, {}
        more = first.more + second.more + max(len(items) - _MAX_LISTED, 0)
        return _Listed(items[:_MAX_LISTED], more), _frequent(self.other_ops)


def _ends(model: Model, facts: _Facts) -> _Ends:
    found = _Ends()
    unknown = set(facts.read)
    depending = outputs.dependents(model.nodes)
    for use in model.nodes:
        if use.function:
            continue
        unknown.discard(use.node)
        if model.outputs:
            rank = 0 if use.node in model.outputs and facts.types.returns_values(use) else None
        else:
            rank = outputs.rank(use, depending, facts.types)
        is_unread = use.node not in facts.read and use.op not in _NOT_OUTPUTS | INPUTS
        if is_unread or (model.outputs and rank is not None):
            found.add(use, rank, facts.types)
    for use in model.nodes if unknown else ():
        for text in use.inputs if not use.function else ():
            if node_of(text) in unknown:
                found.missing.add(MissingInput(use.node, text))
    if not model.outputs and not any(listed.items for listed in found.likely):
        for use in model.nodes:  # a loss may read them
            is_prediction = use.op in outputs.PREDICTIONS and not use.function
            if is_prediction and outputs.rank(use, depending, facts.types) is not None:
                found.likely[0].add(tensor(use, facts.types))
    return found


def summary(model: Model, types: Types) -> Summary:
    """Returns the summary of a model.

    Args:
      model: the model.
      types: the output types of its nodes.

    Raises:
      InvalidInput: a shape has more elements than a tensor can have.
    """
    # The nodes of Flex ops are connected by TensorFlow Lite's tensors, not by their inputs.
    facts = _Facts(connected=model.format != "tflite-flex", types=types)
    for use in model.nodes:
        facts.add(use)
    ends = _ends(model, facts) if facts.connected else _Ends()
    likely, other_outputs = ends.outputs()
    signatures = model.signatures
    if model.lite is not None:
        signatures = model.lite.signatures
        for side, listed_tensors in (
            (model.lite.main.inputs, facts.inputs),
            (model.lite.main.outputs, likely),
        ):
            for found in side:
                listed_tensors.add(Tensor(found.name, "", found.dtype, found.shape))
    listed: dict[str, _Listed[Any]] = {
        "inputs": facts.inputs,
        "outputs": likely,
        "variables": facts.variables,
        "missing_inputs": ends.missing,
    }
    return Summary(
        format=model.format,
        remark=_remark(model),
        signatures=signatures,
        model_functions=model_functions(model),
        inputs=tuple(facts.inputs.items),
        outputs=tuple(likely.items),
        other_outputs=other_outputs,
        variables=tuple(facts.variables.items),
        constant_values=facts.constant_values,
        variable_values=facts.variable_values,
        parameters=facts.constant_values.elements + facts.variable_values.elements,
        nodes=len(model.nodes),
        functions=len(model.functions),
        control_edges=facts.control_edges,
        ops=_frequent(facts.ops),
        devices=_frequent(facts.devices),
        missing_inputs=tuple(ends.missing.items),
        unlisted={name: found.more for name, found in listed.items() if found.more},
    )
