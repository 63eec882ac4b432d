"""The large constants of a GraphDef: a Const node and the content of its value. Pure.

Source of the field numbers: tensorflow/core/framework/{graph,node_def,attr_value,tensor}.proto.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve.emit.tensor_content import Content, large_content
from tfcarve.models import wire
from tfcarve.models.wire import BYTES, Buffer, Field
from tfcarve.models.wire_write import copied

# The size of a large content; tools/runtime/models/graph_reader.h has this number too.
LARGE = 1024

# The alignment of contents. tools/runtime/models/constants.h has this number too; it is kAllocatorAlignment in
# tensorflow/core/framework/allocator.h.
ALIGNMENT = 64

# The field of a GraphDef with a node.
NODE = 1
# Fields of NodeDef, of an entry of its attributes, and of AttrValue.
OP, ATTR, KEY, VALUE, TENSOR = 2, 5, 1, 2, 8
# The largest part of a content that is yielded.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive bytes of a new file.

    Attributes:
      data: the bytes.
      constant_bytes: size of the constant that begins with these bytes; 0 if no constant does.
    """

    data: bytes
    constant_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ConstantNode:
    """A Const with a large content.

    Attributes:
      before: the fields of the NodeDef before its attribute `value`, in wire format.
      after: the fields after it.
      tensor: the fields of the value, a TensorProto, without values.
      content: the values.
    """

    before: bytes
    after: bytes
    tensor: bytes
    content: Content


def _only(data: Buffer, place: int, end: int, number: int, *, alone: bool) -> Field | None:
    """Returns a message's field `number`, if it is of type BYTES and not repeated and, if `alone`, the only field."""
    found = None
    for one in wire.fields(data, place, end):
        if one[0] == number and one[1] == BYTES and found is None:
            found = one
        elif alone or one[0] == number:
            return None
    return found


def _entry(data: Buffer, place: int, end: int) -> Field | None:
    """Returns the attribute `value` of a NodeDef whose op is Const; None if it is missing or ambiguous."""
    op, values = b"", 0
    found = None
    for one in wire.fields(data, place, end):
        number, kind, a, b = one
        if kind == BYTES and number == OP:
            op = data[a : min(b, a + 6)]
        elif kind == BYTES and number == ATTR:
            key = _only(data, a, b, KEY, alone=False)
            if key is None:
                return None
            if data[key[2] : min(key[3], key[2] + 6)] == b"value":
                found, values = one, values + 1
    return found if op == b"Const" and values == 1 else None


def _tensor(data: Buffer, entry: Field) -> Field | None:
    """Returns the TensorProto in an attribute's entry; None: the value is not a tensor."""
    value = _only(data, *entry[2:], VALUE, alone=False)
    return _only(data, *value[2:], TENSOR, alone=True) if value else None


def constant_node(data: Buffer, place: int, end: int) -> ConstantNode | None:
    """Returns the NodeDef at data[place:end] in parts; None if it is not a Const with a large content.

    Raises:
      wire.WireError: the constant is damaged.
    """
    entry = _entry(data, place, end)
    tensor = _tensor(data, entry) if entry else None
    found = large_content(data, *tensor[2:], LARGE) if tensor else None
    if entry is None or found is None:
        return None
    others, content = found
    fields = wire.fields(data, place, end)
    before = copied(data, itertools.takewhile(lambda f: f != entry, fields))
    return ConstantNode(before, copied(data, fields), others, content)


def content_pieces(content: Content) -> Iterator[Piece]:
    """Yields a content in pieces."""
    first = content.size
    for start in range(0, content.size, _CHUNK):
        stop = min(start + _CHUNK, content.size)
        yield Piece(bytes(content.data[content.place + start : content.place + stop]), first)
        first = 0
