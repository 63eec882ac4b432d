"""A GraphDef whose large constants can be used in place in a mapped file. Pure.

A constant's content is moved to a multiple of 64 bytes by a second content field before it, which contains zeros.
Protocol buffer parsers use the last of repeated singular fields, so all readers of GraphDefs read the same graph.

Source of the field numbers: tensorflow/core/framework/{graph,node_def,attr_value,tensor}.proto.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve.emit.tensor_content import CONTENT, large_content
from tfcarve.models import wire
from tfcarve.models.wire import BYTES, Buffer, Field
from tfcarve.models.wire_write import begin, copied

# Alignment of contents, and the size from which on a content is aligned: as in tools/runtime/constants.h and
# graph_reader.h.
ALIGNMENT = 64
LARGE = 1024

_NODE, _OP, _ATTR, _KEY, _VALUE, _TENSOR = 1, 2, 5, 1, 2, 8
_KEY_FIELD = b"\x0a\x05value"
# The largest Piece of a content.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive bytes of the new file.

    Attributes:
      data: the bytes.
      constant_bytes: size of the constant that begins with them; 0: none does.
    """

    data: bytes
    constant_bytes: int = 0


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
    """Returns the attribute `value` of a NodeDef whose op is Const; None: there is none, or it is ambiguous."""
    op, values = b"", 0
    found = None
    for one in wire.fields(data, place, end):
        number, kind, a, b = one
        if kind == BYTES and number == _OP:
            op = data[a : min(b, a + 6)]
        elif kind == BYTES and number == _ATTR:
            key = _only(data, a, b, _KEY, alone=False)
            if key is None:
                return None
            if data[key[2] : min(key[3], key[2] + 6)] == b"value":
                found, values = one, values + 1
    return found if op == b"Const" and values == 1 else None


def _tensor(data: Buffer, entry: Field) -> Field | None:
    """Returns the TensorProto in an attribute's entry; None: the value is not a tensor."""
    value = _only(data, *entry[2:], _VALUE, alone=False)
    return _only(data, *value[2:], _TENSOR, alone=True) if value else None


def _begin_size(size: int) -> int:
    """Returns the length of `begin` for a content of `size` bytes and a field number below 16."""
    return 1 + max(1, (size.bit_length() + 6) // 7)


@dataclass(frozen=True, slots=True)
class _Node:
    """A Const without its content: the fields before and after its value, and the tensor's other fields."""

    before: bytes
    after: bytes
    tensor: bytes
    size: int  # of the content

    def lengths(self, padding: int) -> tuple[int, int, int, int]:
        """Returns the lengths of NodeDef, attribute entry, AttrValue and TensorProto, given the padding in the last."""
        tensor = len(self.tensor) + padding + _begin_size(self.size) + self.size
        attr = _begin_size(tensor) + tensor
        entry = len(_KEY_FIELD) + _begin_size(attr) + attr
        node = len(self.before) + _begin_size(entry) + entry + len(self.after)
        return node, entry, attr, tensor

    def head_size(self, padding: int) -> int:
        """Returns how many bytes of the node's field in a GraphDef precede the content."""
        node = self.lengths(padding)[0]
        return _begin_size(node) + node - len(self.after) - self.size

    def head(self, padding: int) -> bytes:
        """Returns these bytes; `padding` must be a size that _padding supports."""
        node, entry, attr, tensor = self.lengths(padding)
        return b"".join(
            (
                begin(_NODE, node),
                self.before,
                begin(_ATTR, entry),
                _KEY_FIELD,
                begin(_VALUE, attr),
                begin(_TENSOR, tensor),
                self.tensor,
                _padding(padding) or b"",
                begin(CONTENT, self.size),
            )
        )


def _padding(size: int) -> bytes | None:
    """Returns a content field of zeros that has `size` bytes in all; None: no such field exists."""
    for zeros in (size - 2, size - 3):
        if zeros >= 0 and _begin_size(zeros) + zeros == size:
            return begin(CONTENT, zeros) + bytes(zeros)
    return None if size else b""


def _aligned_head(offset: int, node: _Node) -> bytes:
    """Returns the bytes of a node's field at `offset` that precede its content, such that the content is aligned."""
    wanted = -(offset + node.head_size(0)) % ALIGNMENT
    # Padding may lengthen each of the enclosing length fields by a byte.
    for more, grown in itertools.product(range(0, 3 * ALIGNMENT, ALIGNMENT), range(5)):
        padding = wanted + more - grown
        fits = padding >= 0 and (offset + node.head_size(padding)) % ALIGNMENT == 0
        if fits and _padding(padding) is not None:
            return node.head(padding)
    raise AssertionError("each of the four length fields grows by at most one byte")


def _node(data: Buffer, offset: int, place: int, end: int) -> Iterator[Piece]:
    """Yields the new form of a node's field in a GraphDef, at `offset`; nothing: it stays unchanged."""
    entry = _entry(data, place, end)
    tensor = _tensor(data, entry) if entry else None
    found = large_content(data, *tensor[2:], LARGE) if tensor else None
    if entry is None or found is None:
        return
    others, content = found
    fields = wire.fields(data, place, end)
    before = copied(data, itertools.takewhile(lambda f: f != entry, fields))
    after = copied(data, fields)
    yield Piece(_aligned_head(offset, _Node(before, after, others, content.size)))
    first = content.size
    for start in range(0, content.size, _CHUNK):
        stop = min(start + _CHUNK, content.size)
        yield Piece(bytes(content.data[content.place + start : content.place + stop]), first)
        first = 0
    yield Piece(after)


def aligned(data: Buffer) -> Iterator[Piece]:
    """Yields a GraphDef in which constants of at least LARGE bytes are aligned; nodes of functions are unchanged.

    Args:
      data: a GraphDef that models.graph_def has read without error.

    Raises:
      WireError: a constant is damaged.
    """
    offset = 0
    file_pass = wire.Pass(data)
    for number, kind, a, b in wire.fields(data, 0, len(data)):
        pieces = _node(data, offset, a, b) if number == _NODE and kind == BYTES else iter(())
        first = next(pieces, Piece(b""))
        if not first.data:
            pieces = iter((Piece(copied(data, [(number, kind, a, b)])),))
        for piece in itertools.chain((first,), pieces):
            offset += len(piece.data)
            yield piece
        if kind == BYTES:
            file_pass.at(b)
