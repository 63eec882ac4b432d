"""A GraphDef whose large constants can be used in place in a mapped file. Pure.

A constant's content is moved to a multiple of 64 bytes by a second content field before it, which contains zeros.
Protocol buffer parsers use the last of repeated singular fields, so readers of GraphDefs ignore the zeros.

Source of the field numbers: tensorflow/core/framework/{graph,node_def,attr_value,tensor}.proto.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve.emit.constant_node import (
    ALIGNMENT,
    ATTR,
    NODE,
    TENSOR,
    VALUE,
    Piece,
    constant_node,
    content_pieces,
)
from tfcarve.emit.tensor_content import CONTENT
from tfcarve.models import wire
from tfcarve.models.wire import BYTES, Buffer
from tfcarve.models.wire_write import begin, copied

_KEY_FIELD = b"\x0a\x05value"


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
        """Returns the bytes of the node's field before the content; `padding` must be a size that _padding supports."""
        node, entry, attr, tensor = self.lengths(padding)
        return b"".join(
            (
                begin(NODE, node),
                self.before,
                begin(ATTR, entry),
                _KEY_FIELD,
                begin(VALUE, attr),
                begin(TENSOR, tensor),
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
    """Yields the new form of a node's field in a GraphDef, at `offset`, or nothing if it stays unchanged."""
    found = constant_node(data, place, end)
    if found is None:
        return
    node = _Node(found.before, found.after, found.tensor, found.content.size)
    yield Piece(_aligned_head(offset, node))
    yield from content_pieces(found.content)
    yield Piece(found.after)


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
        pieces = _node(data, offset, a, b) if number == NODE and kind == BYTES else iter(())
        first = next(pieces, Piece(b""))
        if not first.data:
            pieces = iter((Piece(copied(data, [(number, kind, a, b)])),))
        for piece in itertools.chain((first,), pieces):
            offset += len(piece.data)
            yield piece
        if kind == BYTES:
            file_pass.at(b)
