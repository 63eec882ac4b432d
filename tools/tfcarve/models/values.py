"""The values of constants and variables: their number and their bytes. Pure."""

import math
from typing import NamedTuple

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.models.node_use import NodeUse

# Source: tensorflow/core/framework/tensor_shape.cc (the number of elements is an int64).
_MAX_ELEMENTS = 2**63 - 1


class Value(NamedTuple):
    """The elements of a node's value and their bytes in memory; bytes None: unknown, for example for strings."""

    elements: int
    bytes: int | None


class Values(JsonDocument, frozen=True):
    """The values of several nodes.

    Attributes:
      nodes: number of nodes.
      elements: number of elements.
      bytes: their bytes in memory, without unsized nodes.
      unsized: number of nodes with elements whose bytes are unknown, such as strings.
    """

    nodes: int
    elements: int
    bytes: int
    unsized: int

    def __add__(self, value: Value) -> "Values":
        """Returns the sum of these values and the value of one more node."""
        return Values(
            self.nodes + 1,
            self.elements + value.elements,
            self.bytes + (value.bytes or 0),
            self.unsized + (value.bytes is None),
        )


NO_VALUES = Values(0, 0, 0, 0)


def _type_and_shape(use: NodeUse) -> tuple[str, tuple[int, ...] | None]:
    value = use.attrs.get("value")
    if use.op == "Const" and value is not None and value.kind == "tensor":
        dtype, dims = value.value
        return dtype, dims
    dtype = use.attrs.get("dtype")
    shape = use.attrs.get("shape")
    return (
        str(dtype.value) if dtype is not None and dtype.kind == "type" else "",
        shape.value if shape is not None and shape.kind == "shape" else None,
    )


def value_of(use: NodeUse) -> Value:
    """Returns the value of a constant or variable; 0 elements if the shape is unknown.

    Raises InvalidInput if a shape has more elements than a tensor can have.
    """
    dtype, shape = _type_and_shape(use)
    if shape is None or any(size < 0 for size in shape):
        return Value(0, 0)
    count = math.prod(shape)
    if count > _MAX_ELEMENTS:
        raise InvalidInput(
            f"{use.model}: {use.place()}: a shape with more than {_MAX_ELEMENTS} elements, which no tensor can have: "
            "the file is damaged"
        )
    size = dtypes.byte_size(dtype)
    return Value(count, count * size if size is not None else None if count else 0)
