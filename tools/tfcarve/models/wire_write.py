"""Writes the protocol buffer wire format. Source: the encoding page of the Protocol Buffers documentation."""

import struct
from collections.abc import Iterable

from tfcarve.models.wire import BYTES, FIXED32, VARINT, Buffer, Field


def varint(value: int) -> bytes:
    """Returns `value`, which must not be negative, as a varint."""
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, kind: int) -> bytes:
    """Returns a field's tag, for its number and wire type."""
    return varint(number << 3 | kind)


def begin(number: int, size: int) -> bytes:
    """Returns the tag and length of a BYTES field whose content has `size` bytes."""
    return tag(number, BYTES) + varint(size)


def bytes_field(number: int, content: bytes | bytearray) -> bytes:
    """Returns a BYTES field: a message, a string or bytes."""
    return begin(number, len(content)) + content


def _copy(data: Buffer, field: Field) -> bytes:
    number, kind, a, b = field
    if kind == BYTES:
        return begin(number, b - a) + data[a:b]
    if kind == VARINT:
        return tag(number, kind) + varint(a)
    return tag(number, kind) + struct.pack("<I" if kind == FIXED32 else "<Q", a)


def copied(data: Buffer, fields: Iterable[Field]) -> bytes:
    """Returns fields that wire.fields read from `data`, in wire format."""
    joined = bytearray()
    for field in fields:
        joined += _copy(data, field)
    return bytes(joined)
