"""A GraphDef whose large constants can be used where they lie in a mapped file. Pure.

A constant's content is moved to a multiple of 64 bytes by a field of the same number before it, zeros of the
right length. Of a field that is there twice every protocol buffer parser takes the last, so the file stays
the same graph to all that read GraphDefs.

Source of the numbers: tensorflow/core/framework/{graph,node_def,attr_value,tensor}.proto.
"""

import itertools
import struct
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tfcarve import dtypes
from tfcarve.models import wire
from tfcarve.models.wire import BYTES, FIXED32, VARINT, Buffer, Field
from tfcarve.models.wire_write import begin, tag, varint

# What a content's offset is a multiple of, and the size from which on it is used in place: as in
# tools/runtime/constants.h and graph_reader.h.
ALIGNMENT = 64
LARGE = 1024

_NODE, _OP, _ATTR, _KEY, _VALUE, _TENSOR = 1, 2, 5, 1, 2, 8
_DTYPE, _SHAPE, _VERSION, _CONTENT = 1, 2, 3, 4
_DIM, _SIZE, _UNKNOWN_RANK = 2, 1, 3
_KEY_FIELD = b"\x0a\x05value"
# Values that stand one by one: the field, and the type of a number in it (array.array's). Complex numbers are two.
_LISTS = {
    "float32": (5, "I"),
    "float64": (6, "Q"),
    "int32": (7, "I"),
    "int16": (7, "H"),
    "int8": (7, "B"),
    "uint16": (7, "H"),
    "uint8": (7, "B"),
    "qint32": (7, "I"),
    "qint8": (7, "B"),
    "quint8": (7, "B"),
    "complex64": (9, "I"),
    "int64": (10, "Q"),
    "bool": (11, "B"),
    "complex128": (12, "Q"),
    "float16": (13, "H"),
    "bfloat16": (13, "H"),
    "uint32": (16, "I"),
    "uint64": (17, "Q"),
}
_FIXED = (5, 6, 9, 12)
# So much is held of what is written, and so many of the numbers that are turned.
_CHUNK = 1 << 20
_SOME = 1 << 12


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of the new file.

    Attributes:
      data: the bytes.
      constant_bytes: how many bytes the constant that begins with them has, or 0.
    """

    data: bytes
    constant_bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Content:
    """A tensor's content: `size` bytes in `data` from `place` on."""

    data: Buffer | bytearray
    place: int
    size: int


def _copy(data: Buffer, one: Field) -> bytes:
    number, kind, a, b = one
    if kind == BYTES:
        return begin(number, b - a) + data[a:b]
    if kind == VARINT:
        return tag(number, kind) + varint(a)
    return tag(number, kind) + struct.pack("<I" if kind == FIXED32 else "<Q", a)


def _joined(data: Buffer, fields: Iterable[Field]) -> bytes:
    joined = bytearray()
    for one in fields:
        joined += _copy(data, one)
    return bytes(joined)


def _one(data: Buffer, place: int, end: int, number: int, *, alone: bool) -> Field | None:
    """Returns the field `number` of a message, of type BYTES, where there is exactly one, and if `alone` no other."""
    found = None
    for one in wire.fields(data, place, end):
        if one[0] == number and one[1] == BYTES and found is None:
            found = one
        elif alone or one[0] == number:
            return None
    return found


def _entry(data: Buffer, place: int, end: int) -> Field | None:
    """Returns the attribute `value` of a NodeDef that is a Const written in the usual way."""
    op, values = b"", 0
    found = None
    for one in wire.fields(data, place, end):
        number, kind, a, b = one
        if kind == BYTES and number == _OP:
            op = data[a : min(b, a + 6)]
        elif kind == BYTES and number == _ATTR:
            key = _one(data, a, b, _KEY, alone=False)
            if key is None:
                return None
            if data[key[2] : min(key[3], key[2] + 6)] == b"value":
                found, values = one, values + 1
    return found if op == b"Const" and values == 1 else None


def _tensor(data: Buffer, entry: Field) -> Field | None:
    """Returns the TensorProto of an attribute that is one."""
    value = _one(data, *entry[2:], _VALUE, alone=False)
    return _one(data, *value[2:], _TENSOR, alone=True) if value else None


def _elements(data: Buffer, place: int, end: int) -> int | None:
    """Returns how many elements a TensorShapeProto has; None where it does not say, or they are too many."""
    count = 1
    for number, kind, a, b in wire.fields(data, place, end):
        if number == _DIM and kind == BYTES:
            size = 0
            for inner, inner_kind, value, _ in wire.fields(data, a, b):
                if inner == _SIZE and inner_kind == VARINT:
                    size = wire.signed(value)
            count *= size
            if size < 0 or count > len(data):
                return None
        elif number == _UNKNOWN_RANK:
            return None
    return count


@dataclass(slots=True)
class _Head:
    """What a TensorProto says beside its values: how often, and what it said last."""

    dtype: str | None = None
    shape: tuple[int, int] = (0, 0)
    shapes: int = 0
    content: tuple[int, int] | None = None
    other: set[int] = field(default_factory=set)  # fields with values


def _head_of(data: Buffer, place: int, end: int) -> _Head | None:
    """Reads a TensorProto except its values; None where its content is not bytes."""
    head = _Head()
    for number, kind, a, b in wire.fields(data, place, end):
        if number == _DTYPE and kind == VARINT:
            head.dtype = dtypes.from_number(a)
        elif number == _SHAPE and kind == BYTES:
            head.shape, head.shapes = (a, b), head.shapes + 1
        elif number == _CONTENT:
            if kind != BYTES:
                return None
            head.content = (a, b)
        elif number != _VERSION:
            head.other.add(number)
    return head


def _numbers(data: Buffer, value: Field, code: str, is_bool: bool) -> Iterator[bytes]:
    """Yields the numbers of a field with values as they are in memory."""
    number, kind, a, b = value
    if number in _FIXED and kind == BYTES:
        yield data[a:b]
        return
    mask = (1 << 8 * array(code).itemsize) - 1
    found = wire.packed(data, a, b) if kind == BYTES else iter((a,))
    numbers = (n != 0 if is_bool else n & mask for n in found)
    while some := array(code, itertools.islice(numbers, _SOME)):
        yield some.tobytes()


def _listed(data: Buffer, place: int, end: int, head: _Head) -> bytearray:
    """Returns the content that says the same as a tensor's values; nothing where they are not all there."""
    if head.dtype not in _LISTS or head.shapes != 1:
        return bytearray()
    number, code = _LISTS[head.dtype]
    count = _elements(data, *head.shape)
    if count is None or count > end - place or head.other != {number}:
        return bytearray()
    is_complex, is_bool = head.dtype.startswith("complex"), head.dtype == "bool"
    content = bytearray(count * array(code).itemsize * (2 if is_complex else 1))
    values = (f for f in wire.fields(data, place, end) if f[0] == number)
    at = 0
    for some in (some for value in values for some in _numbers(data, value, code, is_bool)):
        at += len(some)
        if at > len(content):
            return bytearray()
        content[at - len(some) : at] = some
    return content if at == len(content) else bytearray()


def _content(data: Buffer, place: int, end: int) -> tuple[bytes, _Content] | None:
    """Returns the other fields of the TensorProto at data[place:end] and its content, where that is large."""
    head = _head_of(data, place, end)
    if head is None:
        return None
    if head.content is not None:
        a, b = head.content
        content, dropped = _Content(data, a, b - a), {_CONTENT}
    else:
        listed = _listed(data, place, end, head)
        content, dropped = _Content(listed, 0, len(listed)), head.other
    if content.size < LARGE:
        return None
    kept = (f for f in wire.fields(data, place, end) if f[0] not in dropped)
    return _joined(data, kept), content


def _begin_size(size: int) -> int:
    """Returns the length of begin for a field whose number is below 16."""
    return 1 + max(1, (size.bit_length() + 6) // 7)


@dataclass(frozen=True, slots=True)
class _Node:
    """A NodeDef around a tensor's content: what comes before and after its value, and the tensor's other fields."""

    before: bytes
    after: bytes
    tensor: bytes
    size: int  # of the content

    def lengths(self, padding: int) -> tuple[int, int, int, int]:
        """Returns the lengths of node, entry, attribute and tensor, with so many bytes of padding in the last."""
        tensor = len(self.tensor) + padding + _begin_size(self.size) + self.size
        attr = _begin_size(tensor) + tensor
        entry = len(_KEY_FIELD) + _begin_size(attr) + attr
        node = len(self.before) + _begin_size(entry) + entry + len(self.after)
        return node, entry, attr, tensor

    def head_size(self, padding: int) -> int:
        """Returns how many bytes the node's field in a GraphDef has up to the content."""
        node = self.lengths(padding)[0]
        return _begin_size(node) + node - len(self.after) - self.size

    def head(self, padding: int) -> bytes:
        """Returns these bytes; `padding` is one that _padding knows."""
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
                begin(_CONTENT, self.size),
            )
        )


def _padding(size: int) -> bytes | None:
    """Returns a content of zeros that takes `size` bytes with its tag and length; None where there is none."""
    for zeros in (size - 2, size - 3):
        if zeros >= 0 and _begin_size(zeros) + zeros == size:
            return begin(_CONTENT, zeros) + bytes(zeros)
    return None if size else b""


def _aligned_head(offset: int, node: _Node) -> bytes:
    """Returns the field of a node at `offset` up to its content, which is aligned after it."""
    wanted = -(offset + node.head_size(0)) % ALIGNMENT
    # With the padding, lengths around it may take a byte more.
    for more, grown in itertools.product(range(0, 3 * ALIGNMENT, ALIGNMENT), range(5)):
        padding = wanted + more - grown
        fits = padding >= 0 and (offset + node.head_size(padding)) % ALIGNMENT == 0
        if fits and _padding(padding) is not None:
            return node.head(padding)
    raise AssertionError("four lengths grow by a byte each at most")


def _node(data: Buffer, offset: int, place: int, end: int) -> Iterator[Piece]:
    """Yields a node's field in a GraphDef at `offset`; nothing where it is to stay as it is."""
    entry = _entry(data, place, end)
    tensor = _tensor(data, entry) if entry else None
    found = _content(data, *tensor[2:]) if tensor else None
    if entry is None or found is None:
        return
    kept, content = found
    fields = wire.fields(data, place, end)
    before = _joined(data, itertools.takewhile(lambda f: f != entry, fields))
    after = _joined(data, fields)
    yield Piece(_aligned_head(offset, _Node(before, after, kept, content.size)))
    first = content.size
    for start in range(0, content.size, _CHUNK):
        stop = min(start + _CHUNK, content.size)
        yield Piece(bytes(content.data[content.place + start : content.place + stop]), first)
        first = 0
    yield Piece(after)


def aligned(data: Buffer) -> Iterator[Piece]:
    """Yields the new form of the GraphDef `data`, which models.graph_def reads: constants of LARGE bytes are aligned.

    Nodes of functions stay as they are. Raises WireError where a constant can't be read.
    """
    offset = 0
    looking = wire.Pass(data)
    for number, kind, a, b in wire.fields(data, 0, len(data)):
        pieces = _node(data, offset, a, b) if number == _NODE and kind == BYTES else iter(())
        first = next(pieces, Piece(b""))
        if not first.data:
            pieces = iter((Piece(_copy(data, (number, kind, a, b))),))
        for piece in itertools.chain((first,), pieces):
            offset += len(piece.data)
            yield piece
        if kind == BYTES:
            looking.at(b)
