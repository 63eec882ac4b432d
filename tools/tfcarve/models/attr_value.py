"""Reads AttrValue in binary form: the values that ops and kernels depend on. The values of tensors are skipped.

Source of the field numbers: tensorflow/core/framework/{attr_value,tensor,tensor_shape}.proto.
"""

import itertools
from typing import Any

from tfcarve import dtypes
from tfcarve.models import wire
from tfcarve.models.node_use import AttrValue
from tfcarve.models.wire import BYTES, FIXED32, VARINT, Buffer, WireError

# Longer string attributes are cut: attributes that select kernels are short.
_MAX_STRING = 4096
# A longer list is read as "long": no op has so many inputs.
_MAX_LIST = 65_536
# Source: tensorflow/core/framework/tensor_shape.h (MaxDimensions).
_MAX_DIMENSIONS = 254

_SCALARS = {
    2: "string",
    3: "int",
    4: "float",
    5: "bool",
    6: "type",
    7: "shape",
    8: "tensor",
    9: "placeholder",
    10: "func",
}
_LISTS = {
    2: "list(string)",
    3: "list(int)",
    4: "list(float)",
    5: "list(bool)",
    6: "list(type)",
    7: "list(shape)",
    8: "list(tensor)",
    9: "list(func)",
}
_WIRE = {
    2: BYTES,
    3: VARINT,
    4: FIXED32,
    5: VARINT,
    6: VARINT,
    7: BYTES,
    8: BYTES,
    9: BYTES,
    10: BYTES,
}
_LONG, _MIXED = AttrValue("long", None), AttrValue("mixed", None)


def type_name(number: int) -> str:
    """Returns the name of DataType `number`, or a text with the number if it is unknown."""
    return dtypes.from_number(number) or f"DataType({number})"


def function_name(data: Buffer, place: int, end: int) -> str:
    """Reads the name in a NameAttrList."""
    name = ""
    for a, b in wire.contents(data, (place, end), 1):
        name = wire.text(data, a, b)
    return name


def shape(data: Buffer, place: int, end: int) -> tuple[int, ...] | None:
    """Reads a TensorShapeProto; returns None if the rank is unknown."""
    dims: list[int] = []
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 2 and kind == BYTES:
            dims.append(wire.signed(wire.last_varint(data, (a, b), 1)))
            if len(dims) > _MAX_DIMENSIONS:
                raise WireError(
                    f"byte {place}: a shape with more than {_MAX_DIMENSIONS} dimensions"
                )
        elif number == 3 and kind == VARINT and a:
            return None
    return tuple(dims)


def _tensor(data: Buffer, place: int, end: int) -> tuple[str, tuple[int, ...] | None]:
    """Reads the type and shape of a TensorProto."""
    dtype, dims = "", None
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == VARINT:
            dtype = type_name(a)
        elif number == 2 and kind == BYTES:
            dims = shape(data, a, b)
            break  # the values follow
    return dtype, dims


def _scalar(data: Buffer, number: int, a: int, b: int) -> Any:
    match number:
        case 2:
            return bytes(data[a : min(b, a + _MAX_STRING)]).decode(errors="replace")
        case 3:
            return wire.signed(a)
        case 5:
            return bool(a)
        case 6:
            return type_name(a)
        case 7:
            return shape(data, a, b)
        case 8:
            return _tensor(data, a, b)
        case 9:
            return wire.text(data, a, b)
        case 10:
            return function_name(data, a, b)
        case _:
            return None


def _item(data: Buffer, number: int, a: int, b: int) -> Any:
    """Reads an item of a list; returns None for floats, shapes and tensors."""
    if number in (4, 7, 8):
        return None
    return _scalar(data, 10 if number == 9 else number, a, b)


def _packed(data: Buffer, number: int, a: int, b: int) -> list[Any]:
    if number != 4:
        items = itertools.islice(wire.packed(data, a, b), _MAX_LIST + 1)
        return [_scalar(data, number, item, 0) for item in items]
    return [None] * min((b - a) // 4, _MAX_LIST + 1)


def _list(data: Buffer, place: int, end: int) -> AttrValue:
    kind_name = ""
    values: list[Any] = []
    for number, kind, a, b in wire.fields(data, place, end):
        found = _LISTS.get(number)
        if found is None:
            continue
        if kind_name not in ("", found):
            return _MIXED
        kind_name = found
        if kind == BYTES and number in (3, 4, 5, 6):
            values += _packed(data, number, a, b)
        elif kind != _WIRE[number]:
            raise WireError(
                f"list field {number} has wire type {kind}, which differs from attr_value.proto"
            )
        else:
            values.append(_item(data, number, a, b))
        if len(values) > _MAX_LIST:
            return _LONG
    return AttrValue(kind_name or "list()", tuple(values))


def attr_value(data: Buffer, place: int, end: int) -> AttrValue:
    """Reads the AttrValue at data[place:end]; raises WireError if it is invalid."""
    value = AttrValue("unset", None)
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1:
            if kind != BYTES:
                raise WireError(
                    f"byte {place}: an attribute's list has wire type {kind}, which differs from attr_value.proto"
                )
            value = _list(data, a, b)
            continue
        name = _SCALARS.get(number)
        if name is None:
            continue
        if kind != _WIRE[number]:
            raise WireError(
                f"byte {place}: attribute field {number} has wire type {kind}, which differs from attr_value.proto"
            )
        value = AttrValue(name, _scalar(data, number, a, b))
    return value
