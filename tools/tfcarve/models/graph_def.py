"""GraphDef in its binary form: names, devices and small attributes; tensors are skipped.

Source of the numbers: tensorflow/core/framework/{graph,node_def,attr_value,
function,op_def}.proto.
"""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tfcarve import dtypes
from tfcarve.models import wire
from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.models.wire import BYTES, FIXED32, VARINT, Buffer, WireError

# Longest string attribute that is kept: those that kernels are chosen by are short.
_LONGEST_STRING = 4096
# Most values of a list that are kept; no kernel has more types.
_LONGEST_LIST = 65_536
# Source: tensorflow/core/framework/node_def_util.cc, function names included.
_OP_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\/>\-]*\Z")

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
    7: "other",
    8: "other",
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
_OTHER = AttrValue("other", None)
_NO_ATTRS: Mapping[str, AttrValue] = {}
# Values of so many bytes at most are made once for all nodes that have them.
_SMALL_VALUE = 32


def is_op_name(text: str) -> bool:
    """Says whether `text` can be the name of an op or a function."""
    return bool(_OP_NAME.match(text))


def _type(number: int) -> str:
    return dtypes.from_number(number) or f"DataType({number})"


def _name_of_function(data: Buffer, place: int, end: int) -> str:
    name = ""
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == BYTES:
            name = wire.text(data, a, b)
    return name


def _shape(data: Buffer, place: int, end: int) -> tuple[int, ...] | None:
    """Reads a TensorShapeProto; None where the rank is unknown."""
    dims: list[int] = []
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 2 and kind == BYTES:
            size = 0
            for n, k, c, _ in wire.fields(data, a, b):
                if n == 1 and k == VARINT:
                    size = wire.signed(c)
            dims.append(size)
        elif number == 3 and kind == VARINT and a:
            return None
    return tuple(dims)


def _tensor(data: Buffer, place: int, end: int) -> tuple[str, tuple[int, ...] | None]:
    """Reads type and shape of a TensorProto; its values are skipped."""
    dtype, shape = "", None
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == VARINT:
            dtype = _type(a)
        elif number == 2 and kind == BYTES:
            shape = _shape(data, a, b)
            break  # the values come after
    return dtype, shape


def _scalar(data: Buffer, number: int, a: int, b: int) -> Any:
    match number:
        case 2:
            return bytes(data[a : min(b, a + _LONGEST_STRING)]).decode(errors="replace")
        case 3:
            return wire.signed(a)
        case 4:
            return a
        case 5:
            return bool(a)
        case 6:
            return _type(a)
        case 7:
            return _shape(data, a, b)
        case 8:
            return _tensor(data, a, b)
        case 9:
            return wire.text(data, a, b)
        case 10:
            return _name_of_function(data, a, b)
        case _:
            return None


def _list(data: Buffer, place: int, end: int) -> AttrValue:
    kind_name = ""
    values: list[Any] = []
    for number, kind, a, b in wire.fields(data, place, end):
        found = _LISTS.get(number)
        if found is None:
            continue
        kind_name = found
        if found == "other":
            continue
        if kind == BYTES and number in (3, 5, 6):
            packed = itertools.islice(wire.packed(data, a, b), _LONGEST_LIST + 1)
            values += [_scalar(data, number, item, 0) for item in packed]
        elif kind == BYTES and number == 4:
            continue  # packed floats choose no kernel
        elif kind != _WIRE[number]:
            raise WireError(f"list field {number} has wire type {kind}: not as in attr_value.proto")
        else:
            values.append(_scalar(data, 10 if number == 9 else number, a, b))
        if len(values) > _LONGEST_LIST:
            return _OTHER
    if kind_name in ("other", "list(float)"):
        return _OTHER
    return AttrValue(kind_name or "list()", tuple(values))


def _attr(data: Buffer, place: int, end: int) -> AttrValue:
    value = AttrValue("unset", None)
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1:
            if kind != BYTES:
                raise WireError(
                    f"byte {place}: an attribute's list has wire type {kind}: not as in attr_value.proto"
                )
            value = _list(data, a, b)
            continue
        name = _SCALARS.get(number)
        if name is None:
            continue
        if kind != _WIRE[number]:
            raise WireError(
                f"byte {place}: attribute field {number} has wire type {kind}: not as in attr_value.proto"
            )
        value = _OTHER if name == "float" else AttrValue(name, _scalar(data, number, a, b))
    return value


class Seen:
    """What nodes have in common, made once: names of ops, devices and attributes, and small values."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._values: dict[bytes, AttrValue] = {}

    def text(self, data: Buffer, place: int, end: int) -> str:
        """Returns the string at data[place:end]; raises WireError where it is no UTF-8."""
        found = wire.text(data, place, end)
        return self._texts.setdefault(found, found)

    def value(self, data: Buffer, place: int, end: int) -> AttrValue:
        """Returns the AttrValue at data[place:end]; raises WireError where it is none."""
        if end - place > _SMALL_VALUE:
            return _attr(data, place, end)
        raw = bytes(data[place:end])
        if raw not in self._values:
            self._values[raw] = _attr(raw, 0, len(raw))
        return self._values[raw]


def node(
    data: Buffer, place: int, end: int, model: str, function: str, seen: Seen | None = None
) -> NodeUse:
    """Reads one NodeDef; raises WireError with the node's name where it is none.

    `seen` is what the nodes of the same file share.
    """
    seen = seen or Seen()
    name, op, device = "", "", ""
    attrs: dict[str, AttrValue] = {}
    inputs: list[str] = []
    try:
        for number, kind, a, b in wire.fields(data, place, end):
            if number <= 5 and kind != BYTES:
                raise WireError(f"field {number} has wire type {kind}: not as in node_def.proto")
            if number == 1:
                name = wire.text(data, a, b)
            elif number == 2:
                op = seen.text(data, a, b)
            elif number == 3:
                inputs.append(wire.text(data, a, b))
            elif number == 4:
                device = seen.text(data, a, b)
            elif number == 5:
                key, value = "", AttrValue("unset", None)
                for n, k, c, d in wire.fields(data, a, b):
                    if k == BYTES and n == 1:
                        key = seen.text(data, c, d)
                    elif k == BYTES and n == 2:
                        value = seen.value(data, c, d)
                attrs[key] = value
    except WireError as error:
        raise WireError(f"node {name!r}: {error}" if name else str(error)) from None
    if not op:
        raise WireError(f"node {name!r}: has no op: the file is damaged or no GraphDef")
    if not is_op_name(op):
        raise WireError(
            f"node {name!r}: {op[:60]!r} is no name of an op: the file is damaged or no GraphDef"
        )
    return NodeUse(model, function, name, op, device, attrs or _NO_ATTRS, tuple(inputs))


def _signature_name(data: Buffer, place: int, end: int) -> str:
    return _name_of_function(data, place, end)  # OpDef.name is field 1 too


def _returned(data: Buffer, place: int, end: int) -> str:
    """Reads an entry of FunctionDef.ret; returns the node in its value, `node:output:0`."""
    tensor = ""
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 2 and kind == BYTES:
            tensor = wire.text(data, a, b)
    return tensor.partition(":")[0]


def _function(
    data: Buffer, place: int, end: int, model: str, seen: Seen
) -> tuple[str, list[NodeUse], tuple[str, ...]]:
    name = ""
    returned: list[str] = []
    bodies: list[tuple[int, int]] = []
    for number, kind, a, b in wire.fields(data, place, end):
        if kind == BYTES and number == 1:
            name = _signature_name(data, a, b)
        elif kind == BYTES and number == 3:
            bodies.append((a, b))
        elif kind == BYTES and number == 4:
            returned.append(_returned(data, a, b))
    if not name:
        raise WireError(
            f"byte {place}: a function without a name: the file is damaged or no GraphDef"
        )
    return name, [node(data, a, b, model, name, seen) for a, b in bodies], tuple(returned)


def library(
    data: Buffer, place: int, end: int, model: str, seen: Seen
) -> Iterator[tuple[str, list[NodeUse], tuple[str, ...]]]:
    """Yields name, body and the nodes that are returned of each function of a FunctionDefLibrary."""
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == BYTES:
            yield _function(data, a, b, model, seen)


def graph(
    data: Buffer, place: int, end: int, model: str
) -> tuple[list[NodeUse], dict[str, tuple[str, ...]]]:
    """Reads a GraphDef at data[place:end].

    Returns its nodes, those of functions after those of the graph, and for each
    function the nodes whose values it returns. Raises WireError where the bytes are no GraphDef.
    """
    nodes: list[NodeUse] = []
    bodies: list[NodeUse] = []
    functions: dict[str, tuple[str, ...]] = {}
    seen = Seen()
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == BYTES:
            nodes.append(node(data, a, b, model, "", seen))
        elif number == 2 and kind == BYTES:
            for name, body, returned in library(data, a, b, model, seen):
                functions[name] = returned
                bodies += body
        elif number not in (3, 4, 5) or (number in (4, 5) and kind != BYTES):
            raise WireError(
                f"byte {a if kind == BYTES else place}: field {number}: not as in graph.proto: no GraphDef"
            )
    nodes += bodies
    return nodes, functions
