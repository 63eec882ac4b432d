"""A graph that writes tensors of all types as texts: in outputs, and in the messages of failed assertions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2, tensor_pb2
from tensorflow.core.framework import types_pb2 as types

NAME = "texts"
# How many elements a text has of each side, or in all; -1: all of them.
LIMITS = (-1, 0, 1, 2, 5, 40)
SHAPES = ((), (0,), (1,), (3,), (7,), (2, 0), (0, 2), (1, 1, 1), (2, 3), (3, 2, 4), (5, 1, 2, 3))
# Numbers whose shortest text has few or many digits, that are not finite, or that have limits of their type.
_FLOATS = (
    0.0,
    -0.0,
    1.0,
    0.1,
    1 / 3,
    1e10,
    1.5e-5,
    3e38,
    -2.5,
    np.nan,
    np.inf,
    -np.inf,
    16777217.0,
    123456.7,
)
_NUMPY = {
    "float32": np.float32, "float64": np.float64, "float16": np.float16, "int8": np.int8, "int16": np.int16,
    "int32": np.int32, "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32,
    "uint64": np.uint64, "bool": np.bool_, "complex64": np.complex64,
}  # fmt: skip
# The elements of other types, as bytes: all numbers of a byte, or the upper half of a float32.
_BYTES = {"float8_e5m2": types.DT_FLOAT8_E5M2, "float8_e4m3fn": types.DT_FLOAT8_E4M3FN}
_QUANTIZED = {"qint8": types.DT_QINT8, "quint8": types.DT_QUINT8, "qint32": types.DT_QINT32}
_TEXTS = (b"", b"a", b'"quoted"', b"two\nlines", "ä€".encode(), b"\x01\0", b"\\")


def _elements(name: str, count: int) -> tuple[int, bytes]:
    """Returns the number of a type, and elements of it."""
    drawn = np.random.default_rng(count)
    if name in _NUMPY:
        kind = np.dtype(_NUMPY[name])
        if kind.kind in "fc":
            with np.errstate(over="ignore"):
                values = np.resize(np.array(_FLOATS), count).astype(kind)
            return tf.as_dtype(kind).as_datatype_enum, values.tobytes()
        values = np.frombuffer(drawn.bytes(count * kind.itemsize), np.uint8)
        if kind.kind == "b":
            values = values % 2
        return tf.as_dtype(kind).as_datatype_enum, values.tobytes()
    if name == "bfloat16":
        return types.DT_BFLOAT16, np.resize(np.array(_FLOATS), count).astype(np.float32).view(
            np.uint16
        )[1::2].tobytes()
    number = _BYTES.get(name) or _QUANTIZED[name]
    return number, drawn.bytes(count * (4 if name == "qint32" else 1))


def _tensors() -> Iterator[Any]:
    for name, shape in itertools.product([*_NUMPY, "bfloat16", *_BYTES, *_QUANTIZED], SHAPES):
        count = int(np.prod(shape))
        number, content = _elements(name, count)
        tensor = tensor_pb2.TensorProto(dtype=number, tensor_content=content)
        tensor.tensor_shape.CopyFrom(tf.TensorShape(shape).as_proto())
        yield tensor
    for shape in SHAPES:
        texts = itertools.islice(itertools.cycle(_TEXTS), int(np.prod(shape)))
        tensor = tensor_pb2.TensorProto(dtype=types.DT_STRING, string_val=texts)
        tensor.tensor_shape.CopyFrom(tf.TensorShape(shape).as_proto())
        yield tensor


def _node(name: str, op: str, inputs: list[str]) -> Any:
    return node_def_pb2.NodeDef(name=name, op=op, input=inputs)


def _constant(name: str, tensor: Any) -> Any:
    node = _node(name, "Const", [])
    node.attr["dtype"].type = tensor.dtype
    node.attr["value"].tensor.CopyFrom(tensor)
    return node


def written(limit: int) -> str:
    """The name of the output that has the texts of all tensors, one a line."""
    return f"written_{limit}".replace("-", "all")


def failed(limit: int) -> str:
    """The name of an output before which an assertion fails. Its message has the texts of all tensors."""
    return f"failed_{limit}".replace("-", "all")


def graph() -> Any:
    """Returns the GraphDef."""
    tensors = list(_tensors())
    names = [f"tensor_{i}" for i in range(len(tensors))]
    kinds = [tensor.dtype for tensor in tensors]
    made = tf.compat.v1.GraphDef()
    made.versions.producer = tf.version.GRAPH_DEF_VERSION
    made.node.extend(map(_constant, names, tensors))
    made.node.append(_constant("no", tf.make_tensor_proto(False)))
    for limit in LIMITS:
        text = _node(written(limit), "StringFormat", names)
        text.attr["T"].list.type.extend(kinds)
        text.attr["template"].s = "\n".join(["{}"] * len(names)).encode()
        text.attr["placeholder"].s = b"{}"
        text.attr["summarize"].i = limit
        check = _node(f"assert_{failed(limit)}", "Assert", ["no", *names])
        check.attr["T"].list.type.extend(kinds)
        check.attr["summarize"].i = limit
        output = _node(failed(limit), "Identity", [names[0], f"^{check.name}"])
        output.attr["T"].type = kinds[0]
        made.node.extend((text, check, output))
    return made
