"""What a model takes, gives and holds. Pure."""

import math
from collections import Counter
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import Model, NodeUse

_INPUTS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "_Arg"))
_VARIABLES = frozenset(("Variable", "VariableV2", "VarHandleOp"))
# What no one reads the result of, but that gives none to read either.
_NO_RESULT = frozenset(("NoOp", "Assert", "SaveV2", "Const"))
# Source: tensorflow/core/framework/tensor_shape.cc (a shape's number of elements is an int64).
_MOST_ELEMENTS = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor that goes in or comes out; shape None: the rank is open; -1: a dimension is open."""

    name: str
    op: str
    dtype: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A model at a glance: inputs, outputs, number of parameters, ops by how often they occur."""

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
    if count > _MOST_ELEMENTS:
        raise InvalidInput(
            f"{use.model}: {use.place()}: a shape of more than {_MOST_ELEMENTS} elements, which no tensor has: "
            "the file is damaged"
        )
    return count


def summary(model: Model) -> Summary:
    """Returns what `model` takes, gives and holds; raises InvalidInput where a shape is none that a tensor can have."""
    graph = [use for use in model.nodes if not use.function]
    read = {i.removeprefix("^").partition(":")[0] for use in graph for i in use.inputs}
    return Summary(
        model.signatures,
        tuple(_tensor(use) for use in graph if use.op in _INPUTS),
        tuple(
            _tensor(use)
            for use in graph
            if use.node not in read and use.op not in _NO_RESULT | _INPUTS
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
