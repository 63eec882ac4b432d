"""GraphDef in its binary form: names, devices and small attributes; tensors are skipped.

Source of the numbers: tensorflow/core/framework/{graph,node_def,function,op_def}.proto.
"""

import itertools
import re
from array import array
from collections.abc import Iterator, Mapping
from typing import TypeVar

from tfcarve.models import wire
from tfcarve.models.attr_value import attr_value, function_name
from tfcarve.models.node_use import AttrValue, Nodes, NodeUse
from tfcarve.models.wire import BYTES, Budget, Buffer, Pass, WireError

# Source: tensorflow/core/framework/node_def_util.cc, function names included.
_OP_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\/>\-]*\Z")

_NO_ATTRS: Mapping[str, AttrValue] = {}
# Attributes of so many bytes at most are made once for all nodes that have them, so many at a time:
# values may take thirty times their bytes.
_SMALL_ATTRS = 512
_MOST_SEEN = 256
# A longer node is looked at in place; what its parts take is watched.
_SMALL_NODE = 16_384
# What parts take in memory at most, beside the bytes that they hold.
_INPUT, _ATTR, _FUNCTION = 80, 300, 500

Functions = dict[str, tuple[str, ...]]
_Value = TypeVar("_Value")


def is_op_name(text: str) -> bool:
    """Says whether `text` can be the name of an op or a function."""
    return bool(_OP_NAME.match(text))


class Seen:
    """What nodes have in common, made once: names of ops, devices and whole sets of attributes."""

    def __init__(self) -> None:
        self._ops: dict[bytes, str] = {}
        self._devices: dict[bytes, str] = {}
        self._attrs: dict[bytes, Mapping[str, AttrValue] | None] = {}

    def op(self, raw: bytes) -> str:
        """Returns the op's name in `raw`; raises ValueError where it is none."""
        if raw not in self._ops:
            name = raw.decode()
            if not is_op_name(name):
                raise ValueError
            _add(self._ops, raw, name)
        return self._ops[raw]

    def device(self, raw: bytes) -> str:
        """Returns the string in `raw`; raises ValueError where it is no UTF-8."""
        if raw not in self._devices:
            _add(self._devices, raw, raw.decode())
        return self._devices[raw]

    def attrs(self, raw: bytes) -> Mapping[str, AttrValue] | None:
        """Returns the attributes in the fields `raw` of a NodeDef; None where there is more than attributes.

        Raises WireError where they are none.
        """
        if len(raw) > _SMALL_ATTRS:
            return _attrs(raw)
        if raw not in self._attrs:
            _add(self._attrs, raw, _attrs(raw))
        return self._attrs[raw]


def _add(table: dict[bytes, _Value], key: bytes, value: _Value) -> None:
    if len(table) >= _MOST_SEEN:
        table.clear()
    table[key] = value


def _entry(data: Buffer, place: int, end: int) -> tuple[str, AttrValue]:
    key, value = "", AttrValue("unset", None)
    for number, kind, a, b in wire.fields(data, place, end):
        if kind == BYTES and number == 1:
            key = wire.text(data, a, b)
        elif kind == BYTES and number == 2:
            value = attr_value(data, a, b)
    return key, value


def _attrs(raw: bytes) -> Mapping[str, AttrValue] | None:
    attrs: dict[str, AttrValue] = {}
    for number, kind, a, b in wire.fields(raw, 0, len(raw)):
        if number != 5 or kind != BYTES:
            return None
        key, value = _entry(raw, a, b)
        attrs[key] = value
    return attrs


def _usual_node(raw: bytes, model: str, function: str, seen: Seen) -> NodeUse | None:
    """Reads a NodeDef that is written as they all are: short fields in their order, attributes last.

    Returns None, or raises ValueError, where it is not.
    """
    name, op, device = "", "", ""
    inputs: list[str] = []
    attrs: Mapping[str, AttrValue] | None = _NO_ATTRS
    place, end = 0, len(raw)
    while place < end:
        key = raw[place]
        if key == 0x2A:
            attrs = seen.attrs(raw[place:])
            break
        start = place + 2
        if start > end or raw[place + 1] >= 0x80:
            return None
        place = start + raw[place + 1]
        if place > end:
            return None
        text = raw[start:place]
        if key == 0x0A:
            name = text.decode()
        elif key == 0x12:
            op = seen.op(text)
        elif key == 0x1A:
            inputs.append(text.decode())
        elif key == 0x22:
            device = seen.device(text)
        else:
            return None
    if attrs is None or not op:
        return None
    return NodeUse(model, function, name, op, device, attrs, tuple(inputs))


def _any_node(data: Buffer, place: int, end: int, model: str, function: str) -> NodeUse:
    """Reads a NodeDef in whatever way it is written."""
    name, op, device = "", "", ""
    attrs: dict[str, AttrValue] = {}
    inputs: list[str] = []
    budget = Budget(end - place)
    try:
        for number, kind, a, b in wire.fields(data, place, end):
            if number <= 5 and kind != BYTES:
                raise WireError(f"field {number} has wire type {kind}: not as in node_def.proto")
            if number == 1:
                name = wire.text(data, a, b)
            elif number == 2:
                op = wire.text(data, a, b)
            elif number == 3:
                budget.take(_INPUT)
                inputs.append(wire.text(data, a, b))
            elif number == 4:
                device = wire.text(data, a, b)
            elif number == 5:
                key, value = _entry(data, a, b)
                many = len(value.value) if isinstance(value.value, tuple) else 0
                budget.take(_ATTR + _INPUT * many)
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


def node(
    data: Buffer, place: int, end: int, model: str, function: str, seen: Seen | None = None
) -> NodeUse:
    """Reads one NodeDef; raises WireError with the node's name where it is none.

    `seen` is what the nodes of the same file share.
    """
    if end - place <= _SMALL_NODE:
        try:
            found = _usual_node(bytes(data[place:end]), model, function, seen or Seen())
        except ValueError:  # said below, with the place in the file
            found = None
        if found is not None:
            return found
    return _any_node(data, place, end, model, function)


class GraphNodes(Nodes):
    """The nodes of a graph and of its functions."""

    def __init__(self, data: Buffer, model: str) -> None:
        """Starts with none."""
        self._data = data
        self._model = model
        self._places = array("Q")
        self._functions: list[tuple[int, str]] = []  # after how many numbers in _places they begin

    def add(self, place: int, end: int) -> None:
        """Adds the NodeDef at data[place:end]: to the function begun last, or to the graph."""
        self._places.append(place)
        self._places.append(end)

    def begin(self, function: str) -> None:
        """Says that the nodes that are added from now on are of `function`."""
        self._functions.append((len(self._places), function))

    def __len__(self) -> int:
        return len(self._places) // 2

    def __iter__(self) -> Iterator[NodeUse]:
        begin = [0, *(place for place, _ in self._functions), len(self._places)]
        names = ["", *(name for _, name in self._functions)]
        looking, seen = Pass(self._data), Seen()
        for function, (first, last) in zip(names, itertools.pairwise(begin), strict=True):
            for i in range(first, last, 2):
                looking.at(self._places[i])
                yield node(
                    self._data, self._places[i], self._places[i + 1], self._model, function, seen
                )  # fmt: skip


def _returned(data: Buffer, place: int, end: int) -> str:
    """Reads an entry of FunctionDef.ret; returns the node in its value, `node:output:0`."""
    tensor = ""
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 2 and kind == BYTES:
            tensor = wire.text(data, a, b)
    return tensor.partition(":")[0]


def _function(
    data: Buffer, place: int, end: int, nodes: GraphNodes, functions: Functions, budget: Budget
) -> None:
    name = ""
    returned: list[str] = []
    bodies = array("Q")
    for number, kind, a, b in wire.fields(data, place, end):
        if kind == BYTES and number == 1:
            name = function_name(data, a, b)
        elif kind == BYTES and number == 3:
            bodies.append(a)
            bodies.append(b)
        elif kind == BYTES and number == 4:
            budget.take(_INPUT)
            returned.append(_returned(data, a, b))
    if not name:
        raise WireError(
            f"byte {place}: a function without a name: the file is damaged or no GraphDef"
        )
    budget.take(_FUNCTION)
    functions[name] = tuple(returned)
    nodes.begin(name)
    for i in range(0, len(bodies), 2):
        nodes.add(bodies[i], bodies[i + 1])


def graph(
    data: Buffer, place: int, end: int, model: str, budget: Budget
) -> tuple[GraphNodes, Functions]:
    """Reads a GraphDef at data[place:end]; `budget` is that of the file, which may hold several.

    Returns its nodes, those of functions after those of the graph, and for each function the nodes
    whose values it returns. The nodes stay in `data`. Raises WireError where the bytes are no GraphDef.
    """
    nodes = GraphNodes(data, model)
    functions: Functions = {}
    libraries = array("Q")
    looking = Pass(data)
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == BYTES:
            looking.at(a)
            nodes.add(a, b)
        elif number == 2 and kind == BYTES:
            libraries.append(a)
            libraries.append(b)
        elif number not in (3, 4, 5) or (number in (4, 5) and kind != BYTES):
            raise WireError(
                f"byte {a if kind == BYTES else place}: field {number}: not as in graph.proto: no GraphDef"
            )
    for i in range(0, len(libraries), 2):
        for number, kind, a, b in wire.fields(data, libraries[i], libraries[i + 1]):
            if number == 1 and kind == BYTES:
                _function(data, a, b, nodes, functions, budget)
    for _ in nodes:  # each is one, or this raises
        pass
    return nodes, functions
