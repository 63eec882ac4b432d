"""Creates nodes, and reads and sets their attributes."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref, set_inputs
from tfcarve.prepare.graph.messages import AttrValue, NodeDef, TensorProto, TensorShapeProto
from tfcarve.prepare.graph.tensors import Array

FLOAT = 1
INT32 = 3


def type_value(number: int) -> AttrValue:
    """Returns a type attribute."""
    return AttrValue(type=number)


def text_value(text: str) -> AttrValue:
    """Returns a string attribute."""
    return AttrValue(s=text.encode())


def ints_value(values: Iterable[int]) -> AttrValue:
    """Returns an integer list attribute; the field is set even if the list is empty."""
    value = AttrValue()
    value.list.SetInParent()
    value.list.i.extend(int(v) for v in values)
    return value


def shape_value(dims: Sequence[int] | None) -> AttrValue:
    """Returns a shape attribute: -1 is an unknown dimension, None an unknown rank."""
    shape = TensorShapeProto(unknown_rank=dims is None)
    for size in dims or ():
        shape.dim.add(size=size)
    return AttrValue(shape=shape)


def make(op: str, name: str, inputs: Iterable[Ref], **attrs: AttrValue) -> NodeDef:
    """Returns a new node."""
    created = NodeDef(name=name, op=op, input=[source.text() for source in inputs])
    for key, value in attrs.items():
        created.attr[key].CopyFrom(value)
    return created


def constant(name: str, array: Array, control: Iterable[Ref], dtype: int | None = None) -> NodeDef:
    """Returns a Const with control inputs (constants.py finds them for a Const in a loop); `dtype` defaults to the array's type."""
    created = NodeDef(name=name, op="Const")
    set_inputs(created, control)
    proto = created.attr["value"].tensor
    tensors.fill(proto, array, dtype)
    created.attr["dtype"].type = proto.dtype
    return created


def constant_of(name: str, proto: TensorProto, control: Iterable[Ref]) -> NodeDef:
    """Returns a Const with the tensor `proto` and control inputs."""
    created = NodeDef(name=name, op="Const")
    set_inputs(created, control)
    created.attr["dtype"].type = proto.dtype
    created.attr["value"].tensor.CopyFrom(proto)
    return created


def tensor(node: NodeDef) -> TensorProto:
    """Returns the tensor of a Const; raises InvalidInput if it has none."""
    if "value" not in node.attr:
        raise InvalidInput(f"node {node.name!r}: this Const has no value: the file is damaged")
    return node.attr["value"].tensor


def value(node: NodeDef) -> Array:
    """Returns the read-only value of a Const; raises InvalidInput if it is invalid."""
    return tensors.to_array(tensor(node), node.name)


def shape(node: NodeDef) -> tuple[int, ...]:
    """Returns the shape of a Const; raises InvalidInput if it is unknown."""
    return tensors.shape(tensor(node), node.name)


def copy(node: NodeDef, name: str | None = None) -> NodeDef:
    """Returns a copy of a node, with a new name if one is given."""
    created = NodeDef()
    created.CopyFrom(node)
    if name is not None:
        created.name = name
    return created


def dtype(node: NodeDef, key: str = "T") -> int:
    """Returns a type attribute, or 0 if the node does not have it."""
    return node.attr[key].type if key in node.attr else 0


def text(node: NodeDef, key: str, default: str = "") -> str:
    """Returns a string attribute, or `default`, which must be the op's default."""
    return node.attr[key].s.decode(errors="replace") if key in node.attr else default


def flag(node: NodeDef, key: str, default: bool) -> bool:
    """Returns a boolean attribute, or `default`, which must be the op's default."""
    return node.attr[key].b if key in node.attr else default


def number(node: NodeDef, key: str, default: float) -> float:
    """Returns a float attribute, or `default`, which must be the op's default."""
    return node.attr[key].f if key in node.attr else float(np.float32(default))


def ints(node: NodeDef, key: str) -> tuple[int, ...]:
    """Returns an integer list attribute, or an empty tuple if the node does not have it."""
    return tuple(node.attr[key].list.i) if key in node.attr else ()


def copy_attrs(source: NodeDef, target: NodeDef, keys: Iterable[str]) -> None:
    """Copies the attributes `keys`, as far as `source` has them."""
    for key in keys:
        if key in source.attr:
            target.attr[key].CopyFrom(source.attr[key])


def set_attr(node: NodeDef, key: str, attr: AttrValue) -> None:
    """Sets an attribute."""
    node.attr[key].CopyFrom(attr)


def same_attr(a: Any, b: Any) -> bool:
    """Returns whether two messages are equal."""
    return bool(a.SerializeToString(deterministic=True) == b.SerializeToString(deterministic=True))
