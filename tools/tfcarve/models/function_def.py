"""Reads FunctionDef in binary form: the signature and the returned tensors. Its nodes are read later.

Source of the field numbers: tensorflow/core/framework/{function,op_def}.proto.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from tfcarve.models import wire
from tfcarve.models.attr_value import attr_value, type_name
from tfcarve.models.node_use import Function
from tfcarve.models.wire import BYTES, VARINT, Budget, Buffer, WireError
from tfcarve.op_definition import Argument, Attr

# Upper bounds of the memory of parts, without their content.
_TENSOR, _PART, _FUNCTION = 80, 300, 500
_TEXTS = {1: "name", 4: "type_attr", 5: "number_attr", 6: "type_list_attr"}


@dataclass(frozen=True, slots=True)
class Read:
    """A function that was read: its name, its interface, and the start and end of each of its nodes."""

    name: str
    function: Function
    nodes: Sequence[int]


def _argument(data: Buffer, place: int, end: int) -> Argument:
    found: dict[str, str] = {"name": ""}
    ref = False
    for number, kind, a, b in wire.fields(data, place, end):
        if kind == BYTES and number in _TEXTS:
            found[_TEXTS[number]] = wire.text(data, a, b)
        elif kind == VARINT and number == 3 and a:
            found["type"] = type_name(a)
        elif kind == VARINT and number == 16:
            ref = bool(a)
    return Argument(**found, ref=ref)


def _attr(data: Buffer, place: int, end: int) -> tuple[str, Attr]:
    name, kind_name, default = "", "", None
    for number, kind, a, b in wire.fields(data, place, end):
        if kind == BYTES and number == 1:
            name = wire.text(data, a, b)
        elif kind == BYTES and number == 2:
            kind_name = wire.text(data, a, b)
        elif kind == BYTES and number == 3:
            value = attr_value(data, a, b).value
            default = value if isinstance(value, str | int | float) else ()
    return name, Attr(kind_name, default)


@dataclass(slots=True)
class _Signature:
    name: str
    attrs: dict[str, Attr]
    inputs: list[Argument]
    outputs: list[Argument]


def _signature(data: Buffer, place: int, end: int, budget: Budget) -> _Signature:
    found = _Signature("", {}, [], [])
    for number, kind, a, b in wire.fields(data, place, end):
        if kind != BYTES:
            continue
        if number == 1:
            found.name = wire.text(data, a, b)
        elif number in (2, 3):
            budget.take(_PART)
            (found.inputs if number == 2 else found.outputs).append(_argument(data, a, b))
        elif number == 4:
            budget.take(_PART)
            name, attr = _attr(data, a, b)
            found.attrs[name] = attr
    return found


def _returned(data: Buffer, place: int, end: int) -> tuple[str, str]:
    """Reads an entry of FunctionDef.ret: an output of the function, and the tensor that it returns."""
    output, tensor = "", ""
    for number, kind, a, b in wire.fields(data, place, end):
        if kind == BYTES and number == 1:
            output = wire.text(data, a, b)
        elif kind == BYTES and number == 2:
            tensor = wire.text(data, a, b)
    return output, tensor


def function(data: Buffer, place: int, end: int, budget: Budget) -> Read:
    """Reads the FunctionDef at data[place:end].

    Raises:
      WireError: the bytes are not a FunctionDef, or it has no name.
    """
    signature = _Signature("", {}, [], [])
    returned: dict[str, str] = {}
    nodes = array("Q")
    for number, kind, a, b in wire.fields(data, place, end):
        if kind == BYTES and number == 1:
            signature = _signature(data, a, b, budget)
        elif kind == BYTES and number == 3:
            nodes.append(a)
            nodes.append(b)
        elif kind == BYTES and number == 4:
            budget.take(2 * _TENSOR)
            output, tensor = _returned(data, a, b)
            returned[output] = tensor
    if not signature.name:
        raise WireError(
            f"byte {place}: a function without a name: the file is damaged or not a GraphDef"
        )
    budget.take(_FUNCTION)
    made = Function(tuple(signature.inputs), tuple(signature.outputs), signature.attrs, returned)
    return Read(signature.name, made, nodes)
