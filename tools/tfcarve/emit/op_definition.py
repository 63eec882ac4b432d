"""Op definitions as data: TensorFlow's message OpDef in binary form.

A library that runs plans needs no shape functions, so it does not compile the sources that define ops.

Source of the field numbers: tensorflow/core/framework/{op_def,attr_value,tensor,tensor_shape}.proto.
"""

import struct
from typing import Any

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.models import graph_text
from tfcarve.models.text_format import Field, Message, TextError, to_wire
from tfcarve.models.wire import FIXED32, VARINT
from tfcarve.models.wire_write import bytes_field, tag, varint
from tfcarve.op_definition import Argument, Attr
from tfcarve.registry.index import OpDefinition

# OpDef
_NAME, _INPUT, _OUTPUT, _ATTR, _DEPRECATION, _STATEFUL = 1, 2, 3, 4, 8, 17
# AttrValue, and ListValue, which has the values of list(…)
_LIST, _SHAPE, _TENSOR = 1, 7, 8

_TENSOR_MESSAGE = Message(
    "TensorProto",
    {
        b"dtype": Field(1, "enum", enum=graph_text.data_type),
        b"tensor_shape": Field(2, "message", graph_text.SHAPE),
        b"int_val": Field(7, "int"),
    },
)
_VALUE_MESSAGE = Message(
    "AttrValue",
    {
        b"shape": Field(_SHAPE, "message", graph_text.SHAPE),
        b"tensor": Field(_TENSOR, "message", _TENSOR_MESSAGE),
    },
)


def encoded(op: OpDefinition) -> bytes:
    """Returns the OpDef of an op, without documentation and without what only a session uses.

    Raises:
      InvalidInput: a default value has a form that is not supported.
    """
    parts = [_text(_NAME, op.name)]
    parts += [bytes_field(_INPUT, _argument(each)) for each in op.inputs]
    parts += [bytes_field(_OUTPUT, _argument(each)) for each in op.outputs]
    parts += [bytes_field(_ATTR, _attr(op.name, name, attr)) for name, attr in op.attrs.items()]
    if op.deprecation:
        content = _int(1, op.deprecation.version) + _text(2, op.deprecation.why)
        parts.append(bytes_field(_DEPRECATION, content))
    if op.stateful:
        parts.append(_int(_STATEFUL, 1))
    return b"".join(parts)


def _argument(argument: Argument) -> bytes:
    """The message ArgDef."""
    parts = [_text(1, argument.name)]
    if argument.type:
        parts.append(_int(3, dtypes.NUMBER_OF[argument.type]))
    for number, name in (
        (4, argument.type_attr),
        (5, argument.number_attr),
        (6, argument.type_list_attr),
    ):
        if name:
            parts.append(_text(number, name))
    if argument.ref:
        parts.append(_int(16, 1))
    return b"".join(parts)


def _attr(op: str, name: str, attr: Attr) -> bytes:
    """The message AttrDef."""
    parts = [_text(1, name), _text(2, attr.type)]
    if attr.default is not None:
        parts.append(bytes_field(3, _value(op, name, attr)))
    if attr.minimum is not None:
        parts += [_int(5, 1), _int(6, attr.minimum)]
    if attr.allowed:
        values = b"".join(_scalar(_element(attr.type), value) for value in attr.allowed)
        parts.append(bytes_field(7, bytes_field(_LIST, values)))
    return b"".join(parts)


def _value(op: str, name: str, attr: Attr) -> bytes:
    """The message AttrValue of the default value of an attribute."""
    element = _element(attr.type)
    if isinstance(attr.default, tuple):
        return bytes_field(_LIST, b"".join(_scalar(element, each) for each in attr.default))
    if element == attr.type and element not in ("shape", "tensor"):
        return _scalar(element, attr.default)
    if attr.default == "[]":
        return bytes_field(_LIST, b"")
    # The index has the text of shapes and tensors.
    try:
        value = to_wire(f"{element}: {attr.default}".encode(), _VALUE_MESSAGE)
    except TextError as error:
        raise InvalidInput(
            f"op {op!r}: the default value of {name!r}, {attr.default!r}, cannot be stored: {error}"
        ) from None
    return value if element == attr.type else bytes_field(_LIST, value)


def _scalar(kind: str, value: Any) -> bytes:
    """The field of AttrValue, or an element of ListValue."""
    match kind:
        case "string":
            return _text(2, value)
        case "int":
            return _int(3, value)
        case "float":
            return tag(4, FIXED32) + struct.pack("<f", float(value))
        case "bool":
            return _int(5, int(value))
        case _:
            return _int(6, dtypes.NUMBER_OF[value])


def _text(number: int, value: str) -> bytes:
    return bytes_field(number, value.encode())


def _int(number: int, value: int) -> bytes:
    # Negative numbers have 64 bits.
    return tag(number, VARINT) + varint(value & (1 << 64) - 1)


def _element(kind: str) -> str:
    """The type of the elements of list(…); any other type itself."""
    return kind.removeprefix("list(").removesuffix(")")
