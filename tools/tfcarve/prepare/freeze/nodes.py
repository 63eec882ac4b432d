"""Creates the nodes that freezing adds to a graph."""

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import node_def_pb2

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.ops import NodeDef

# A protocol buffer of 2 GiB or more cannot be serialized.
_MAX_BYTES = (1 << 31) - 1


def make(name: str, op: str, inputs: Sequence[str], types: Mapping[str, int]) -> NodeDef:
    """Returns a node with the attributes `types`, which are numbers from types.proto."""
    node = node_def_pb2.NodeDef(name=name, op=op, input=inputs)
    for key, dtype in types.items():
        node.attr[key].type = dtype
    return node


def constant(name: str, value: Any, inputs: Sequence[str]) -> NodeDef:
    """Returns a Const with a NumPy array; `inputs` are control inputs.

    Raises InvalidInput if the value is too large for a GraphDef.
    """
    if value.nbytes > _MAX_BYTES:
        raise InvalidInput(
            f"node {name!r}: its value has {value.nbytes:,} bytes: a GraphDef must be smaller than 2 GiB"
        )
    dtype = tf.as_dtype(value.dtype if value.dtype != object else tf.string)
    node = make(name, "Const", inputs, {"dtype": dtype.as_datatype_enum})
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype=dtype, shape=value.shape))
    return node
