"""Reads the protocol buffer wire format: one field after the other, without copies.

Every length is checked against the end of the enclosing message: hostile input raises WireError after at most one
pass over the bytes.
"""

import mmap
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

Buffer = bytes | mmap.mmap
# Start and end of a part of a buffer.
Region = tuple[int, int]
# Field number, wire type, and for BYTES the start and end of the content; otherwise the value and 0.
Field = tuple[int, int, int, int]

# The number of bytes of a mapped file that stay resident before a Pass releases them.
_RESIDENT = 4 << 20


class WireError(ValueError):
    """The bytes are not a message: the text states the place and the reason."""


class Budget:
    """Limits the memory of the parts of a file or message: many tiny parts take far more memory than their bytes.

    Real models stay far below the limit, because their parts have names.
    """

    def __init__(self, size: int) -> None:
        """Starts with the limit for an input of `size` bytes."""
        self._left = 8 * size + 4_000_000

    def take(self, size: int) -> None:
        """Counts a part that takes `size` bytes of memory; raises WireError above the limit."""
        self._left -= size
        if self._left < 0:
            raise WireError("too many small parts: damaged, or crafted to exhaust memory")


class Pass:
    """A pass over a buffer from start to end that releases the pages of a mapped file behind it.

    Without it the whole file would count as memory of the process.
    """

    def __init__(self, data: Buffer) -> None:
        """Starts at byte 0."""
        self._file = None if isinstance(data, bytes) else data
        self._next = _RESIDENT

    def at(self, place: int) -> None:
        """Records that the pass has reached the byte `place`."""
        if place >= self._next:
            self._next = place + _RESIDENT
            if self._file is not None:
                self._file.madvise(mmap.MADV_DONTNEED)


def varint(data: Buffer, place: int, end: int) -> tuple[int, int]:
    """Reads a varint; returns its value and the index after it."""
    result = 0
    for shift in range(0, 70, 7):
        if place >= end:
            raise WireError(
                f"byte {place}: the message ends inside a varint: the file is truncated or not a protocol buffer"
            )
        byte = data[place]
        place += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, place
    raise WireError(f"byte {place}: a varint of more than 10 bytes: not a protocol buffer")


def fields(data: Buffer, place: int, end: int) -> Iterator[Field]:
    """Yields the fields of the message at data[place:end].

    Raises:
      WireError: the bytes are not a message.
    """
    while place < end:
        start = place
        key = data[place]
        place += 1
        if key >= 0x80:
            key, place = varint(data, start, end)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise WireError(f"byte {start}: field number 0: not a protocol buffer")
        if kind == BYTES:
            if place < end and data[place] < 0x80:
                length = data[place]
                place += 1
            else:
                length, place = varint(data, place, end)
            if length > end - place:
                raise WireError(
                    f"byte {start}: field {number} has {length} bytes, but only {end - place} remain: the file is truncated or damaged"
                )
            yield number, kind, place, place + length
            place += length
        elif kind == VARINT:
            value, place = varint(data, place, end)
            yield number, kind, value, 0
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
            if size > end - place:
                raise WireError(f"byte {start}: field {number} is truncated")
            yield number, kind, int.from_bytes(data[place : place + size], "little"), 0
            place += size
        else:
            raise WireError(f"byte {start}: wire type {kind}: not a protocol buffer")


def contents(data: Buffer, region: Region, number: int) -> Iterator[Region]:
    """Yields the contents of a field of messages, strings or bytes, in the message at `region`; raises WireError like `fields`."""
    for found, kind, a, b in fields(data, *region):
        if found == number and kind == BYTES:
            yield a, b


def last_varint(data: Buffer, region: Region, number: int) -> int:
    """Returns the value of a field of one varint, in the message at `region`; 0: it has none. Raises WireError like `fields`."""
    value = 0
    for found, kind, a, _ in fields(data, *region):
        if found == number and kind == VARINT:
            value = a
    return value


def signed(value: int) -> int:
    """Returns a varint's value as a signed 64-bit number."""
    return value - (1 << 64) if value >= 1 << 63 else value


def text(data: Buffer, place: int, end: int) -> str:
    """Returns the string at data[place:end]; raises WireError if it is not UTF-8."""
    try:
        return bytes(data[place:end]).decode()
    except UnicodeDecodeError:
        raise WireError(
            f"byte {place}: a name that is not UTF-8: not a protocol buffer of this kind"
        ) from None


def entry(data: Buffer, place: int, end: int) -> tuple[str, Region | None]:
    """Reads an entry of a map from strings to messages; returns the key, and the value or None."""
    key, value = "", None
    for number, kind, a, b in fields(data, place, end):
        if number == 1 and kind == BYTES:
            key = text(data, a, b)
        elif number == 2 and kind == BYTES:
            value = (a, b)
    return key, value


def packed(data: Buffer, place: int, end: int) -> Iterator[int]:
    """Yields the varints of a packed repeated field."""
    while place < end:
        value, place = varint(data, place, end)
        yield value
