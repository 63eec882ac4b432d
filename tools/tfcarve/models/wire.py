"""The protocol buffer wire format: fields, one after the other, nothing copied.

Every length is checked against the end of the message that holds it, so that
hostile input gives WireError and never more than one pass over the bytes.
"""

import mmap
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

Buffer = bytes | mmap.mmap
# Number, wire type, and for BYTES the place and end of the content; else the value and 0.
Field = tuple[int, int, int, int]

# So much of a mapped file may be looked at before it is let go of.
_STAYS = 4 << 20


class WireError(ValueError):
    """The bytes are no message: the text says where and why."""


class Budget:
    """Refuses a file or message of so many tiny parts that they would take far more memory than its bytes.

    What a model's own tools write stays far below: their parts have names.
    """

    def __init__(self, size: int) -> None:
        """Starts for `size` bytes."""
        self._left = 8 * size + 4_000_000

    def take(self, size: int) -> None:
        """Counts a part that takes `size` bytes of memory; raises WireError where they are too many."""
        self._left -= size
        if self._left < 0:
            raise WireError("more and smaller parts than a model has: damaged or made to be costly")


class Pass:
    """A pass over a buffer from its begin to its end, which lets go of what a mapped file was looked at for.

    Else all of it would count as this process's memory: the kernel maps megabytes around each byte.
    """

    def __init__(self, data: Buffer) -> None:
        """Starts at the begin."""
        self._file = None if isinstance(data, bytes) else data
        self._next = _STAYS

    def at(self, place: int) -> None:
        """Says how far it came."""
        if place >= self._next:
            self._next = place + _STAYS
            if self._file is not None:
                self._file.madvise(mmap.MADV_DONTNEED)


def varint(data: Buffer, place: int, end: int) -> tuple[int, int]:
    """Reads a varint; returns its value and the place after it."""
    result = 0
    for shift in range(0, 70, 7):
        if place >= end:
            raise WireError(
                f"byte {place}: the message ends inside a number: the file is cut off or no protocol buffer"
            )
        byte = data[place]
        place += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result & 0xFFFFFFFFFFFFFFFF, place
    raise WireError(f"byte {place}: a number of more than 10 bytes: no protocol buffer")


def fields(data: Buffer, place: int, end: int) -> Iterator[Field]:
    """Yields the fields of the message at data[place:end].

    Raises WireError where the bytes are no message.
    """
    while place < end:
        start = place
        key = data[place]
        place += 1
        if key >= 0x80:
            key, place = varint(data, start, end)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise WireError(f"byte {start}: field number 0: no protocol buffer")
        if kind == BYTES:
            if place < end and data[place] < 0x80:
                length = data[place]
                place += 1
            else:
                length, place = varint(data, place, end)
            if length > end - place:
                raise WireError(
                    f"byte {start}: field {number} of {length} bytes, but {end - place} are left: the file is cut off or damaged"
                )
            yield number, kind, place, place + length
            place += length
        elif kind == VARINT:
            value, place = varint(data, place, end)
            yield number, kind, value, 0
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
            if size > end - place:
                raise WireError(f"byte {start}: field {number} is cut off")
            yield number, kind, int.from_bytes(data[place : place + size], "little"), 0
            place += size
        else:
            raise WireError(f"byte {start}: wire type {kind}: no protocol buffer")


def signed(value: int) -> int:
    """Returns a varint's value as a signed 64-bit number."""
    return value - (1 << 64) if value >= 1 << 63 else value


def text(data: Buffer, place: int, end: int) -> str:
    """Returns the string at data[place:end]; raises WireError where it is no UTF-8."""
    try:
        return bytes(data[place:end]).decode()
    except UnicodeDecodeError:
        raise WireError(
            f"byte {place}: a name that is no UTF-8: no protocol buffer of this kind"
        ) from None


def packed(data: Buffer, place: int, end: int) -> Iterator[int]:
    """Yields the varints of a packed repeated field."""
    while place < end:
        value, place = varint(data, place, end)
        yield value
