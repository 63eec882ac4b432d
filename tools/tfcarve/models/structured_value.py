"""Reads the structures that a SavedModel has for the inputs and outputs of its functions, as a list of their leaves.

Source of the field numbers: tensorflow/core/protobuf/struct.proto. Source of the order of the leaves:
tensorflow/python/util/nest.py (values of a dict are in the order of its sorted keys).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve.models import attr_value, wire
from tfcarve.models.wire import BYTES, FIXED64, VARINT, Budget, Buffer, Region, WireError

Path = tuple[str | int, ...]

_MAX_DEPTH = 32
# An upper bound of the memory of a leaf, without its text.
_LEAF = 600
_MAX_TEXT = 80
# More components than any composite tensor has.
_MAX_COMPONENTS = 1000

_NONE, _FLOAT, _INT, _STRING, _BOOL = 1, 11, 12, 13, 14
_SPEC, _TYPE_SPEC, _BOUNDED_SPEC = 33, 34, 35
_LIST, _TUPLE, _DICT, _NAMED_TUPLE = 51, 52, 53, 54


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf of a structure: a tensor, a composite tensor, or a value that is not a tensor.

    Attributes:
      path: the indices of lists and tuples, and the keys of dicts and named tuples, that lead to it.
      tensors: the number of its tensors; 0 for other values.
      name: of a tensor; "" if it has none.
      dtype: TensorFlow's name of a tensor's type.
      shape: of a tensor; -1 for an unknown dimension; None: unknown rank.
      text: a composite tensor's class, or the value as text.
    """

    path: Path
    tensors: int = 0
    name: str = ""
    dtype: str = ""
    shape: tuple[int, ...] | None = None
    text: str = ""


def _spec(data: Buffer, region: Region, path: Path) -> Leaf:
    name, dtype, shape = "", "", None
    for number, kind, a, b in wire.fields(data, *region):
        if number == 1 and kind == BYTES:
            name = wire.text(data, a, b)
        elif number == 2 and kind == BYTES:
            shape = attr_value.shape(data, a, b)
        elif number == 3 and kind == VARINT:
            dtype = attr_value.type_name(a)
    return Leaf(path, 1, name, dtype, shape)


def _composite(data: Buffer, region: Region, path: Path) -> Leaf:
    name, count = "composite tensor", 0
    for number, kind, a, b in wire.fields(data, *region):
        if number == 3 and kind == BYTES:
            name = wire.text(data, a, b)
        elif number == 4 and kind == VARINT:
            count = a
    if count > _MAX_COMPONENTS:
        raise WireError(f"byte {region[0]}: a composite tensor with {count} components: damaged")
    return Leaf(path, count, text=name)


def _constant(data: Buffer, number: int, kind: int, a: int, b: int) -> str:
    """Returns a value that is not a tensor as text."""
    if number == _BOOL and kind == VARINT:
        return str(bool(a))
    if number == _INT and kind == VARINT:
        return str((a >> 1) ^ -(a & 1))  # sint64
    if number == _FLOAT and kind == FIXED64:
        return str(struct.unpack("<d", a.to_bytes(8, "little"))[0])
    if number == _STRING and kind == BYTES:
        return repr(wire.text(data, a, b))[:_MAX_TEXT]
    return "None" if number == _NONE else "…"


def _entries(data: Buffer, region: Region, number: int) -> Iterator[tuple[str | int, Region]]:
    """Yields the keys or indices of a container's values, and the values."""
    wanted = 2 if number == _NAMED_TUPLE else 1
    for index, (a, b) in enumerate(wire.contents(data, region, wanted)):
        if number in (_LIST, _TUPLE):
            yield index, (a, b)
        else:
            key, value = wire.entry(data, a, b)
            yield key, value or (b, b)


def _key(entry: tuple[str | int, Region]) -> str:
    return str(entry[0])


def leaves(data: Buffer, region: Region, budget: Budget, path: Path = ()) -> Iterator[Leaf]:
    """Yields the leaves of a StructuredValue, in the order of the tensors in a function's arguments.

    Args:
      data: the buffer that contains it.
      region: the start and end of the StructuredValue.
      budget: of the whole file.
      path: the path that leads to it.

    Raises:
      wire.WireError: the bytes are not a StructuredValue, or it is nested too deeply.
    """
    if len(path) > _MAX_DEPTH:
        raise WireError(f"byte {region[0]}: a structure is nested too deeply: damaged")
    for number, kind, a, b in wire.fields(data, *region):
        if number in (_LIST, _TUPLE, _DICT, _NAMED_TUPLE) and kind == BYTES:
            entries = _entries(data, (a, b), number)
            for key, value in sorted(entries, key=_key) if number == _DICT else entries:
                yield from leaves(data, value, budget, (*path, key))
            continue
        budget.take(_LEAF)
        if number in (_SPEC, _BOUNDED_SPEC) and kind == BYTES:
            yield _spec(data, (a, b), path)
        elif number == _TYPE_SPEC and kind == BYTES:
            yield _composite(data, (a, b), path)
        else:
            yield Leaf(path, text=_constant(data, number, kind, a, b))
