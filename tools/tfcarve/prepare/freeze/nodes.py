"""Creates the nodes that freezing adds to a graph."""

from collections.abc import Mapping, Sequence

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import NodeDef, TensorProto
from tfcarve.prepare.graph.tensors import Array

# A protocol buffer of 2 GiB or more cannot be serialized.
_MAX_BYTES = (1 << 31) - 1


def make(name: str, op: str, inputs: Sequence[str], types: Mapping[str, int]) -> NodeDef:
    """Returns a node with the attributes `types`, which are numbers from types.proto."""
    node = NodeDef(name=name, op=op, input=inputs)
    for key, dtype in types.items():
        node.attr[key].type = dtype
    return node


def strings(value: str | Sequence[str]) -> Array:
    """Returns a scalar or vector of strings for a Const."""
    encoded = value.encode() if isinstance(value, str) else [text.encode() for text in value]
    return np.array(encoded, object)


def constant(name: str, value: Array | TensorProto, inputs: Sequence[str]) -> NodeDef:
    """Returns a Const; `inputs` are control inputs.

    Raises InvalidInput if the value is too large for a GraphDef.
    """
    size = len(value.tensor_content) if isinstance(value, TensorProto) else value.nbytes
    if size > _MAX_BYTES:
        raise InvalidInput(
            f"node {name!r}: its value has {size:,} bytes: a GraphDef must be smaller than 2 GiB"
        )
    tensor = value if isinstance(value, TensorProto) else tensors.from_array(value)
    node = make(name, "Const", inputs, {"dtype": tensor.dtype})
    node.attr["value"].tensor.CopyFrom(tensor)
    return node
