"""Summary of a model: what TensorFlow's summarize_graph tells, and its signatures. Pure.

Source: tensorflow/tools/graph_transforms/summarize_graph_main.cc.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tfcarve.json_codec import JsonDocument
from tfcarve.models.model_functions import ModelFunction, model_functions
from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.signature_def import Signature, node_of
from tfcarve.models.values import NO_VALUES, Values, value_of

_INPUTS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "_Arg"))
VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp"))
# Nodes that are not outputs although nothing reads them.
_NOT_OUTPUTS = frozenset(("NoOp", "Assert", "Assign", "SaveV2", "Const"))
# Lists are cut at this length: no model has so many inputs, and an item takes far more memory than a tiny node.
_MAX_LISTED = 10_000


_Item = TypeVar("_Item")


@dataclass(slots=True)
class _Listed(Generic[_Item]):
    """A list of at most _MAX_LISTED items, and the number of further ones."""

    items: list[_Item] = field(default_factory=list)
    more: int = 0

    def add(self, item: _Item) -> None:
        """Adds an item, or counts it."""
        if len(self.items) < _MAX_LISTED:
            self.items.append(item)
        else:
            self.more += 1


class Tensor(JsonDocument, frozen=True):
    """An input, output or variable; shape None: unknown rank; -1: unknown dimension."""

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
      format: as in Model.
      remark: what the summary does not show, and why; "" if it shows the whole model.
      signatures: by name.
      model_functions: the functions of a SavedModel, which `--signature` can name, too.
      inputs: the nodes that an app feeds.
      outputs: the nodes that no other node reads.
      variables: of the graph.
      constant_values: of the Const nodes of the graph and its functions.
      variable_values: of the variables of the graph and its functions.
      parameters: the elements of both.
      nodes: number of nodes of the graph and its functions.
      functions: number of functions.
      control_edges: number of control inputs of the nodes of the graph.
      ops: number of nodes of each op, most frequent first.
      devices: number of nodes of the graph that request each device.
      missing_inputs: inputs that do not exist; the graph cannot be loaded if there are any.
      unlisted: for each of the lists that is cut, the number of further items.
    """

    format: str
    remark: str
    signatures: Mapping[str, Signature]
    model_functions: tuple[ModelFunction, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
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


def tensor(use: NodeUse) -> Tensor:
    """Returns a node's name and op, and the type and shape that its attributes state."""
    dtype = ""
    for name in ("dtype", "T"):
        value = use.attrs.get(name)
        if value is not None and value.kind == "type":
            dtype = str(value.value)
            break
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
    """What one pass over the nodes finds; nodes are not kept, because they take far more memory than the file."""

    connected: bool
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
        if use.op in _INPUTS:
            self.inputs.add(tensor(use))
        if use.op in VARIABLES:
            self.variables.add(tensor(use))
        if use.device:
            self.devices[use.device] += 1
        self.control_edges += sum(text.startswith("^") for text in use.inputs)
        self.read.update(map(node_of, use.inputs))


def _outputs(model: Model, read: set[str]) -> tuple[_Listed[Tensor], _Listed[MissingInput]]:
    """Returns the nodes of the graph that no other node reads, and the inputs that do not exist."""
    outputs, missing = _Listed[Tensor](), _Listed[MissingInput]()
    unknown = set(read)
    for use in model.nodes:
        if use.function:
            continue
        unknown.discard(use.node)
        if use.node not in read and use.op not in _NOT_OUTPUTS | _INPUTS:
            outputs.add(tensor(use))
    for use in model.nodes if unknown else ():
        for text in use.inputs if not use.function else ():
            if node_of(text) in unknown:
                missing.add(MissingInput(use.node, text))
    return outputs, missing


def summary(model: Model) -> Summary:
    """Returns the summary of a model; raises InvalidInput if a shape has more elements than a tensor can have."""
    # The nodes of Flex ops are connected by TensorFlow Lite's tensors, not by their inputs.
    facts = _Facts(connected=model.format != "tflite-flex")
    for use in model.nodes:
        facts.add(use)
    outputs, missing = _Listed[Tensor](), _Listed[MissingInput]()
    if facts.connected:
        outputs, missing = _outputs(model, facts.read)
    listed: dict[str, _Listed[Any]] = {
        "inputs": facts.inputs,
        "outputs": outputs,
        "variables": facts.variables,
        "missing_inputs": missing,
    }
    return Summary(
        format=model.format,
        remark=_remark(model),
        signatures=model.signatures,
        model_functions=model_functions(model),
        inputs=tuple(facts.inputs.items),
        outputs=tuple(outputs.items),
        variables=tuple(facts.variables.items),
        constant_values=facts.constant_values,
        variable_values=facts.variable_values,
        parameters=facts.constant_values.elements + facts.variable_values.elements,
        nodes=len(model.nodes),
        functions=len(model.functions),
        control_edges=facts.control_edges,
        ops=_frequent(facts.ops),
        devices=_frequent(facts.devices),
        missing_inputs=tuple(missing.items),
        unlisted={name: found.more for name, found in listed.items() if found.more},
    )
