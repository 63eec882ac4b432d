"""A GraphDef whose large constants can be used where they lie in a mapped file. Pure.

A constant's content is moved to a multiple of 64 bytes by a field of the same number before it, zeros of the
right length. Of a field that is there twice every protocol buffer parser takes the last, so the file stays
the same graph to all that read GraphDefs.

Source of the numbers: tensorflow/core/framework/{graph,node_def,attr_value,tensor}.proto.
"""

import itertools
import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from tfcarve import dtypes
from tfcarve.models import wire
from tfcarve.models.wire import BYTES, FIXED32, VARINT, Buffer, Field

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
_MOST_ZEROS = 8 * ALIGNMENT
_CHUNK = 1 << 20


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

    data: Buffer
    place: int
    size: int


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _begin(number: int, size: int) -> bytes:
    """Returns what comes before the `size` bytes of a field of type BYTES."""
    return _varint(number << 3 | BYTES) + _varint(size)


def _copy(data: Buffer, field: Field) -> bytes:
    number, kind, a, b = field
    if kind == BYTES:
        return _begin(number, b - a) + data[a:b]
    tag = _varint(number << 3 | kind)
    if kind == VARINT:
        return tag + _varint(a)
    return tag + struct.pack("<I" if kind == FIXED32 else "<Q", a)


def _one(data: Buffer, place: int, end: int, number: int, *, alone: bool) -> Field | None:
    """Returns the field `number` of a message, of type BYTES, where there is exactly one, and if `alone` no other."""
    found = None
    for field in wire.fields(data, place, end):
        if field[0] == number and field[1] == BYTES and found is None:
            found = field
        elif alone or field[0] == number:
            return None
    return found


def _is_value(data: Buffer, field: Field) -> bool:
    """Says whether a field of a NodeDef is its attribute `value`."""
    number, kind, a, b = field
    if number != _ATTR or kind != BYTES:
        return False
    key = _one(data, a, b, _KEY, alone=False)
    return key is not None and data[key[2] : key[3]] == b"value"


def _tensor(data: Buffer, node: list[Field]) -> Field | None:
    """Returns the TensorProto of a node that is a Const written in the usual way."""
    ops = [data[a:b] for number, kind, a, b in node if number == _OP and kind == BYTES]
    if ops[-1:] != [b"Const"]:
        return None
    entries = [(a, b) for number, kind, a, b in node if number == _ATTR and kind == BYTES]
    values = [field for field in node if _is_value(data, field)]
    if len(values) != 1 or not all(_one(data, *entry, _KEY, alone=False) for entry in entries):
        return None
    value = _one(data, *values[0][2:], _VALUE, alone=False)
    return _one(data, *value[2:], _TENSOR, alone=True) if value else None


def _elements(data: Buffer, place: int, end: int) -> int | None:
    """Returns how many elements a TensorShapeProto has; None where it does not say."""
    sizes = []
    for number, kind, a, b in wire.fields(data, place, end):
        if number == _DIM and kind == BYTES:
            size = [v for n, k, v, _ in wire.fields(data, a, b) if n == _SIZE and k == VARINT]
            sizes.append(wire.signed(size[-1]) if size else 0)
        elif number == _UNKNOWN_RANK:
            return None
    return prod(sizes) if all(size >= 0 for size in sizes) else None


def _numbers(data: Buffer, field: Field, code: str, is_bool: bool) -> bytes:
    """Returns the numbers of a field with values as they are in memory."""
    number, kind, a, b = field
    if number in _FIXED and kind == BYTES:
        return data[a:b]
    found = wire.packed(data, a, b) if kind == BYTES else iter((a,))
    mask = (1 << 8 * array(code).itemsize) - 1
    return array(code, (n != 0 if is_bool else n & mask for n in found)).tobytes()


def _listed(data: Buffer, tensor: list[Field]) -> bytes:
    """Returns the content that says the same as the tensor's values; nothing where they are not all there."""
    types = [a for number, kind, a, _ in tensor if number == _DTYPE and kind == VARINT]
    shapes = [(a, b) for number, kind, a, b in tensor if number == _SHAPE and kind == BYTES]
    name = dtypes.from_number(types[-1]) if types else None
    if name not in _LISTS or len(shapes) != 1:
        return b""
    values, code = _LISTS[name]
    count = _elements(data, *shapes[0])
    others = {field[0] for field in tensor} - {_DTYPE, _SHAPE, _VERSION, values}
    if count is None or others:
        return b""
    width = array(code).itemsize * (2 if name in ("complex64", "complex128") else 1)
    is_bool = name == "bool"
    found = b"".join(_numbers(data, f, code, is_bool) for f in tensor if f[0] == values)
    return found if len(found) == count * width else b""


def _content(data: Buffer, tensor: list[Field]) -> tuple[bytes, _Content] | None:
    """Returns a tensor's other fields and its content, where that is large."""
    contents = [field for field in tensor if field[0] == _CONTENT]
    if contents:
        if any(kind != BYTES for _, kind, _, _ in contents):
            return None
        place, end = contents[-1][2:]
        content = _Content(data, place, end - place)
        kept = [field for field in tensor if field[0] != _CONTENT]
    else:
        listed = _listed(data, tensor)
        content = _Content(listed, 0, len(listed))
        kept = [field for field in tensor if field[0] in (_DTYPE, _SHAPE, _VERSION)]
    if content.size < LARGE:
        return None
    return b"".join(_copy(data, field) for field in kept), content


def _head(before: bytes, after: bytes, tensor: bytes, size: int) -> bytes:
    """Returns a node's field in a GraphDef up to the content, of `size` bytes, of its tensor."""
    head = tensor + _begin(_CONTENT, size)
    length = size  # of what follows `head` in the same message
    for number, prefix in ((_TENSOR, b""), (_VALUE, _KEY_FIELD), (_ATTR, before), (_NODE, b"")):
        if number == _NODE:
            length += len(after)
        head = prefix + _begin(number, len(head) + length) + head
    return head


def _aligned_head(offset: int, before: bytes, after: bytes, tensor: bytes, size: int) -> bytes:
    """Returns the same for a node at `offset`, with the padding that aligns the content."""
    for padding in (b"", *(_begin(_CONTENT, zeros) + bytes(zeros) for zeros in range(_MOST_ZEROS))):
        head = _head(before, after, tensor + padding, size)
        if (offset + len(head)) % ALIGNMENT == 0:
            return head
    raise AssertionError("a multiple is skipped at most once for each length, and they are five")


def _node(data: Buffer, offset: int, place: int, end: int) -> Iterator[Piece]:
    """Yields a node's field in a GraphDef at `offset`; nothing where it is to stay as it is."""
    node = list(wire.fields(data, place, end))
    tensor = _tensor(data, node)
    if tensor is None:
        return
    found = _content(data, list(wire.fields(data, *tensor[2:])))
    if found is None:
        return
    kept, content = found
    at = next(i for i, field in enumerate(node) if _is_value(data, field))
    before = b"".join(_copy(data, field) for field in node[:at])
    after = b"".join(_copy(data, field) for field in node[at + 1 :])
    yield Piece(_aligned_head(offset, before, after, kept, content.size))
    first = content.size
    for start in range(0, content.size, _CHUNK):
        stop = min(start + _CHUNK, content.size)
        yield Piece(content.data[content.place + start : content.place + stop], first)
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
