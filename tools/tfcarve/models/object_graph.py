"""Reads the objects of a SavedModel of TensorFlow 2: its functions, and the objects that they capture.

Source of the field numbers: tensorflow/core/protobuf/saved_object_graph.proto, trackable_object_graph.proto (children).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tfcarve.models import attr_value, structured_value, wire
from tfcarve.models.structured_value import Leaf
from tfcarve.models.wire import BYTES, VARINT, Budget, Buffer, Region, WireError

KINDS = {
    4: "user_object",
    5: "asset",
    6: "function",
    7: "variable",
    8: "bare_concrete_function",
    9: "constant",
    10: "resource",
    12: "captured_tensor",
}
# The object that holds the signatures has this identifier.
_SIGNATURES = "signature_map"
# Upper bounds of the memory of an object, a child and a concrete function, without their texts.
_OBJECT, _CHILD, _FUNCTION = 600, 200, 300
# An upper bound of the memory for each byte of captured objects' numbers.
_CAPTURE = 20


@dataclass(frozen=True, slots=True)
class SavedObject:
    """An object.

    Attributes:
      kind: a value of KINDS, or "" if it is unknown.
      children: the numbers of its children, by their local names.
      content: the message of its kind.
    """

    kind: str
    children: Mapping[str, int]
    content: Region


@dataclass(frozen=True, slots=True)
class SavedConcreteFunction:
    """A concrete function: its name in the graph's library, the objects that it captures, and its signature's leaves."""

    name: str
    captures: tuple[int, ...]
    inputs: tuple[Leaf, ...]
    outputs: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: its name, and the dtype number and shape that its VarHandleOp has."""

    name: str
    dtype: int
    shape: tuple[int, ...] | None


def _child(data: Buffer, region: Region) -> tuple[str, int]:
    name, number = "", 0
    for field, kind, a, b in wire.fields(data, *region):
        if field == 1 and kind == VARINT:
            number = a
        elif field == 2 and kind == BYTES:
            name = wire.text(data, a, b)
    return name, number


def _object(data: Buffer, region: Region, budget: Budget) -> SavedObject:
    found, content = "", region
    children: dict[str, int] = {}
    for number, kind, a, b in wire.fields(data, *region):
        if number == 1 and kind == BYTES:
            budget.take(_CHILD + b - a)
            name, child = _child(data, (a, b))
            children[name] = child
        elif number in KINDS and kind == BYTES:
            found, content = KINDS[number], (a, b)
    return SavedObject(found, children, content)


class ObjectGraph:
    """The objects of a SavedModel. Number 0 is the root.

    Args:
      data: the buffer with the SavedObjectGraph.
      region: the start and end of the SavedObjectGraph.
      budget: of the whole file.

    Raises:
      wire.WireError: the bytes are not such a graph.
    """

    def __init__(self, data: Buffer, region: Region, budget: Budget) -> None:
        self._data = data
        self.budget = budget
        self.objects: list[SavedObject] = []
        self._functions: dict[str, Region] = {}
        for number, kind, a, b in wire.fields(data, *region):
            if number == 1 and kind == BYTES:
                budget.take(_OBJECT)
                self.objects.append(_object(data, (a, b), budget))
            elif number == 2 and kind == BYTES:
                budget.take(_FUNCTION)
                name, value = wire.entry(data, a, b)
                self._functions[name] = value or (b, b)
        for found in self.objects:
            for child in found.children.values():
                if child >= len(self.objects):
                    raise WireError(f"the object {child} does not exist: the SavedModel is damaged")

    def is_signatures(self, found: SavedObject) -> bool:
        """Returns whether an object holds the signatures of the model."""
        return found.kind == "user_object" and self._text(found, 1) == _SIGNATURES

    def concrete_functions(self, found: SavedObject) -> tuple[str, ...]:
        """Returns the names of the concrete functions of a function; empty for other objects."""
        if found.kind not in ("function", "bare_concrete_function"):
            return ()
        return tuple(self._texts(found, 1))

    def argument_names(self, found: SavedObject) -> tuple[str, ...]:
        """Returns the names of the positional arguments of a function's Python code, as far as the file states them."""
        names: list[str] = []
        spec = 2 if found.kind == "function" else 4
        for region in wire.contents(self._data, found.content, spec):
            for field, kind, a, b in wire.fields(self._data, *region):
                if field == 1 and kind == BYTES:
                    listed = structured_value.leaves(self._data, (a, b), self.budget)
                    names = [e.text[1:-1] for e in listed if e.path[:1] == ("args",)]
                elif field == 2 and kind == VARINT and a:
                    names = names[1:]  # self
        return tuple(names)

    def concrete_function(self, name: str) -> SavedConcreteFunction:
        """Reads a concrete function; raises wire.WireError if it does not exist or is damaged."""
        if name not in self._functions:
            raise WireError(f"the function {name!r} does not exist: the SavedModel is damaged")
        captures: list[int] = []
        sides: dict[int, tuple[Leaf, ...]] = {3: (), 4: ()}
        for number, kind, a, b in wire.fields(self._data, *self._functions[name]):
            if number == 2:
                self.budget.take(_CAPTURE * (b - a if kind == BYTES else 1))
                captures += wire.packed(self._data, a, b) if kind == BYTES else [a]
            elif number in sides and kind == BYTES:
                sides[number] = tuple(structured_value.leaves(self._data, (a, b), self.budget))
        if any(captured >= len(self.objects) for captured in captures):
            raise WireError(f"the function {name!r} captures an object that does not exist")
        return SavedConcreteFunction(name, tuple(captures), sides[3], sides[4])

    def variable(self, found: SavedObject) -> Variable:
        """Reads an object of the kind variable."""
        dtype, shape = 0, None
        for number, kind, a, b in wire.fields(self._data, *found.content):
            if number == 1 and kind == VARINT:
                dtype = a
            elif number == 2 and kind == BYTES:
                shape = attr_value.shape(self._data, a, b)
        return Variable(self._text(found, 6), dtype, shape)

    def constant(self, found: SavedObject) -> str:
        """Returns the node of an object of the kind constant."""
        return self._text(found, 1)

    def asset(self, found: SavedObject) -> int:
        """Returns the index of an object of the kind asset in MetaGraphDef.asset_file_def."""
        return wire.last_varint(self._data, found.content, 1)

    def _texts(self, found: SavedObject, field: int) -> Iterator[str]:
        for a, b in wire.contents(self._data, found.content, field):
            yield wire.text(self._data, a, b)

    def _text(self, found: SavedObject, field: int) -> str:
        return next(self._texts(found, field), "")
