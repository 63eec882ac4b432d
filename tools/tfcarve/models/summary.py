"""Summary of a model: inputs, outputs, parameters and ops. Pure."""

import math
from collections import Counter
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import Model, NodeUse

_INPUTS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "_Arg"))
_VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp"))
# Nodes that are not outputs although nothing reads them.
_NOT_OUTPUTS = frozenset(("NoOp", "Assert", "SaveV2", "Const"))
# Source: tensorflow/core/framework/tensor_shape.cc (the number of elements is an int64).
_MAX_ELEMENTS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output; shape None: unknown rank; -1: unknown dimension."""

    name: str
    op: str
    dtype: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Summary:
    """Inputs, outputs, number of parameters, nodes and functions, and ops with their counts, most frequent first."""

    signatures: tuple[str, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    parameters: int
    nodes: int
    functions: int
    ops: tuple[tuple[str, int], ...]


def _tensor(use: NodeUse) -> Tensor:
    dtype = ""
    for name in ("dtype", "T"):
        value = use.attrs.get(name)
        if value is not None and value.kind == "type":
            dtype = str(value.value)
            break
    shape = use.attrs.get("shape")
    dims = shape.value if shape is not None and shape.kind == "shape" else None
    return Tensor(use.node, use.op, dtype, dims)


def _parameters(use: NodeUse) -> int:
    if use.op == "Const":
        value = use.attrs.get("value")
        shape = value.value[1] if value is not None and value.kind == "tensor" else None
    elif use.op in _VARIABLES:
        value = use.attrs.get("shape")
        shape = value.value if value is not None and value.kind == "shape" else None
    else:
        return 0
    if shape is None or any(d < 0 for d in shape):
        return 0
    count: int = math.prod(shape)
    if count > _MAX_ELEMENTS:
        raise InvalidInput(
            f"{use.model}: {use.place()}: a shape with more than {_MAX_ELEMENTS} elements, which no tensor can have: "
            "the file is damaged"
        )
    return count


def summary(model: Model) -> Summary:
    """Returns the summary of a model; raises InvalidInput if a shape has more elements than a tensor can have."""
    graph = [use for use in model.nodes if not use.function]
    read = {i.removeprefix("^").partition(":")[0] for use in graph for i in use.inputs}
    return Summary(
        model.signatures,
        tuple(_tensor(use) for use in graph if use.op in _INPUTS),
        tuple(
            _tensor(use)
            for use in graph
            if use.node not in read and use.op not in _NOT_OUTPUTS | _INPUTS
        ),
        sum(_parameters(use) for use in model.nodes),
        len(model.nodes),
        len(model.functions),
        tuple(
            sorted(
                Counter(use.op for use in model.nodes).items(), key=lambda item: (-item[1], item[0])
            )
        ),
    )
