"""Reads GraphDef in binary form: names, devices and small attributes. Tensor values are skipped.

Source of the field numbers: tensorflow/core/framework/{graph,node_def,versions}.proto.
"""

import itertools
import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tfcarve.models import function_def, wire
from tfcarve.models.attr_value import attr_value
from tfcarve.models.node_use import AttrValue, Function, Nodes, NodeUse
from tfcarve.models.versions import Versions, version_def
from tfcarve.models.wire import BYTES, Budget, Buffer, Pass, WireError

# Source: tensorflow/core/framework/node_def_util.cc, function names included.
_OP_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\\/>\-]*\Z")

_NO_ATTRS: Mapping[str, AttrValue] = {}
# Decoded values may take thirty times their bytes: nodes whose attributes are equal and have at most _SMALL_ATTRS bytes
# share one decoded value. Each cache has at most _MAX_CACHED entries.
_SMALL_ATTRS = 512
_MAX_CACHED = 256
# A longer node is read in place, and a Budget limits the memory of its parts.
_SMALL_NODE = 16_384
# Upper bounds of the memory of parts, without their content.
_INPUT, _ATTR = 80, 300

_Value = TypeVar("_Value")


def is_op_name(text: str) -> bool:
    """Returns whether `text` can be the name of an op or a function."""
    return bool(_OP_NAME.match(text))


class Cache:
    """Values that nodes of one file share: op names, devices and sets of attributes."""

    def __init__(self) -> None:
        self._ops: dict[bytes, str] = {}
        self._devices: dict[bytes, str] = {}
        self._attrs: dict[bytes, Mapping[str, AttrValue] | None] = {}

    def op(self, raw: bytes) -> str:
        """Returns the op name in `raw`; raises ValueError if `raw` is not a valid op name."""
        if raw not in self._ops:
            name = raw.decode()
            if not is_op_name(name):
                raise ValueError
            _add(self._ops, raw, name)
        return self._ops[raw]

    def device(self, raw: bytes) -> str:
        """Returns the string in `raw`; raises ValueError if it is not UTF-8."""
        if raw not in self._devices:
            _add(self._devices, raw, raw.decode())
        return self._devices[raw]

    def attrs(self, raw: bytes) -> Mapping[str, AttrValue] | None:
        """Returns the attributes in the fields `raw` of a NodeDef, or None if there are other fields.

        Raises:
          WireError: an attribute is invalid.
        """
        if len(raw) > _SMALL_ATTRS:
            return _attrs(raw)
        if raw not in self._attrs:
            _add(self._attrs, raw, _attrs(raw))
        return self._attrs[raw]


def _add(table: dict[bytes, _Value], key: bytes, value: _Value) -> None:
    if len(table) >= _MAX_CACHED:
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


def _canonical_node(raw: bytes, model: str, function: str, cache: Cache) -> NodeUse | None:
    """Reads a NodeDef as TensorFlow writes it: short fields in the order of their numbers, attributes last.

    Returns None, or raises ValueError, if it is written in another way.
    """
    name, op, device = "", "", ""
    inputs: list[str] = []
    attrs: Mapping[str, AttrValue] | None = _NO_ATTRS
    place, end = 0, len(raw)
    while place < end:
        key = raw[place]
        if key == 0x2A:
            attrs = cache.attrs(raw[place:])
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
            op = cache.op(text)
        elif key == 0x1A:
            inputs.append(text.decode())
        elif key == 0x22:
            device = cache.device(text)
        else:
            return None
    if attrs is None or not op:
        return None
    return NodeUse(model, function, name, op, device, attrs, tuple(inputs))


def _any_node(data: Buffer, place: int, end: int, model: str, function: str) -> NodeUse:
    """Reads any valid NodeDef."""
    name, op, device = "", "", ""
    attrs: dict[str, AttrValue] = {}
    inputs: list[str] = []
    budget = Budget(end - place)
    try:
        for number, kind, a, b in wire.fields(data, place, end):
            if number <= 5 and kind != BYTES:
                raise WireError(
                    f"field {number} has wire type {kind}, which differs from node_def.proto"
                )
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
                length = len(value.value) if isinstance(value.value, tuple) else 0
                budget.take(_ATTR + _INPUT * length)
                attrs[key] = value
    except WireError as error:
        raise WireError(f"node {name!r}: {error}" if name else str(error)) from None
    if not op:
        raise WireError(f"node {name!r}: has no op: the file is damaged or not a GraphDef")
    if not is_op_name(op):
        raise WireError(
            f"node {name!r}: {op[:60]!r} is not an op name: the file is damaged or not a GraphDef"
        )
    return NodeUse(model, function, name, op, device, attrs or _NO_ATTRS, tuple(inputs))


def node(
    data: Buffer, place: int, end: int, model: str, function: str, cache: Cache | None = None
) -> NodeUse:
    """Reads one NodeDef.

    Args:
      data: the buffer that contains it.
      place: where it starts.
      end: where it ends.
      model: NodeUse.model.
      function: NodeUse.function.
      cache: shared by the nodes of one file.

    Raises:
      WireError: it is invalid; the message contains the node's name.
    """
    if end - place <= _SMALL_NODE:
        try:
            found = _canonical_node(bytes(data[place:end]), model, function, cache or Cache())
        except ValueError:  # _any_node reports it, with the place in the file
            found = None
        if found is not None:
            return found
    return _any_node(data, place, end, model, function)


class GraphNodes(Nodes):
    """The nodes of a graph and of its functions."""

    def __init__(self, data: Buffer, model: str) -> None:
        """Starts without nodes."""
        self._data = data
        self._model = model
        self._places = array("Q")
        self._functions: list[
            tuple[int, str]
        ] = []  # the index in _places where the nodes of each function begin

    def add(self, place: int, end: int) -> None:
        """Adds the NodeDef at data[place:end] to the function that was begun last, or to the graph."""
        self._places.append(place)
        self._places.append(end)

    def begin(self, function: str) -> None:
        """Begins a function: nodes that are added next are in its body."""
        self._functions.append((len(self._places), function))

    def __len__(self) -> int:
        return len(self._places) // 2

    def __iter__(self) -> Iterator[NodeUse]:
        begin = [0, *(place for place, _ in self._functions), len(self._places)]
        names = ["", *(name for _, name in self._functions)]
        file_pass, cache = Pass(self._data), Cache()
        for function, (first, last) in zip(names, itertools.pairwise(begin), strict=True):
            for i in range(first, last, 2):
                file_pass.at(self._places[i])
                yield node(
                    self._data, self._places[i], self._places[i + 1], self._model, function, cache
                )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Graph:
    """A GraphDef that was read.

    Attributes:
      nodes: the nodes of the graph, followed by the nodes of functions.
      functions: by name.
      versions: the versions of the GraphDef format that wrote it and that may load it.
    """

    nodes: GraphNodes
    functions: Mapping[str, Function]
    versions: Versions


def graph(data: Buffer, place: int, end: int, model: str, budget: Budget) -> Graph:
    """Reads the GraphDef at data[place:end].

    Args:
      data: the buffer that contains it; its nodes are read from it later too.
      place: where it starts.
      end: where it ends.
      model: NodeUse.model.
      budget: of the whole file, which may contain several graphs.

    Raises:
      WireError: the bytes are not a GraphDef.
    """
    nodes = GraphNodes(data, model)
    functions: dict[str, Function] = {}
    versions = Versions()
    libraries = array("Q")
    file_pass = Pass(data)
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == BYTES:
            file_pass.at(a)
            nodes.add(a, b)
        elif number == 2 and kind == BYTES:
            libraries.append(a)
            libraries.append(b)
        elif number == 4 and kind == BYTES:
            versions = version_def(data, a, b)
        elif number not in (3, 4, 5) or (number in (4, 5) and kind != BYTES):
            raise WireError(
                f"byte {a if kind == BYTES else place}: field {number} is not in graph.proto: not a GraphDef"
            )
    for i in range(0, len(libraries), 2):
        for a, b in wire.contents(data, (libraries[i], libraries[i + 1]), 1):
            found = function_def.function(data, a, b, budget)
            functions[found.name] = found.function
            nodes.begin(found.name)
            for body in range(0, len(found.nodes), 2):
                nodes.add(found.nodes[body], found.nodes[body + 1])
    for _ in nodes:  # raises WireError if one is invalid
        pass
    return Graph(nodes, functions, versions)
