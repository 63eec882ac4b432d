"""Summary of a model: what TensorFlow's summarize_graph tells, and its signatures. Pure.

Source: tensorflow/tools/graph_transforms/summarize_graph_main.cc.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from tfcarve.json_codec import Form
from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.signature_def import Signature, node_of
from tfcarve.models.values import Values, value_of

_INPUTS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "_Arg"))
VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp"))
# Nodes that are not outputs although nothing reads them.
_NOT_OUTPUTS = frozenset(("NoOp", "Assert", "Assign", "SaveV2", "Const"))


class Tensor(Form, frozen=True):
    """An input, output or variable; shape None: unknown rank; -1: unknown dimension."""

    name: str
    op: str
    dtype: str
    shape: tuple[int, ...] | None


class MissingInput(Form, frozen=True):
    """An input of a node of the graph that refers to a node which does not exist."""

    node: str
    input: str


class Summary(Form, frozen=True, kw_only=True):
    """Summary of a model.

    Attributes:
      format: as in Model.
      remark: what the summary does not show, and why; "" if it shows the whole model.
      signatures: by name.
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
    """

    format: str
    remark: str
    signatures: Mapping[str, Signature]
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


def _frequent(found: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(found).items(), key=lambda item: (-item[1], item[0])))


def summary(model: Model) -> Summary:
    """Returns the summary of a model; raises InvalidInput if a shape has more elements than a tensor can have."""
    # The nodes of Flex ops are connected by TensorFlow Lite's tensors, not by their inputs.
    connected = model.format != "tflite-flex"
    graph = [use for use in model.nodes if connected and not use.function]
    read = {node_of(i) for use in graph for i in use.inputs}
    missing = read - {use.node for use in graph}
    constants = Values.of(value_of(use) for use in model.nodes if use.op == "Const")
    variables = Values.of(value_of(use) for use in model.nodes if use.op in VARIABLES)
    return Summary(
        format=model.format,
        remark=_remark(model),
        signatures=model.signatures,
        inputs=tuple(tensor(use) for use in graph if use.op in _INPUTS),
        outputs=tuple(
            tensor(use)
            for use in graph
            if use.node not in read and use.op not in _NOT_OUTPUTS | _INPUTS
        ),
        variables=tuple(tensor(use) for use in graph if use.op in VARIABLES),
        constant_values=constants,
        variable_values=variables,
        parameters=constants.elements + variables.elements,
        nodes=len(model.nodes),
        functions=len(model.functions),
        control_edges=sum(i.startswith("^") for use in graph for i in use.inputs),
        ops=_frequent(use.op for use in model.nodes),
        devices=_frequent(use.device for use in graph if use.device),
        missing_inputs=tuple(
            MissingInput(use.node, i)
            for use in graph
            for i in (use.inputs if missing else ())
            if node_of(i) in missing
        ),
    )
