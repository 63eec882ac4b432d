"""Reads FlatBuffers within the bounds of the file.

Source: the binary format of FlatBuffers (flatbuffers.h).
"""

import struct
from collections.abc import Iterator

from tfcarve.models.wire import Buffer


class FlatError(ValueError):
    """The bytes are not a FlatBuffer of this kind: the text states the place and the reason."""


def number(data: Buffer, place: int, form: str) -> int:
    """Returns the number at data[place] in a format of the module struct."""
    size = struct.calcsize(form)
    if place < 0 or place + size > len(data):
        raise FlatError(f"byte {place}: outside the file: truncated or damaged")
    return int(struct.unpack_from(form, data, place)[0])


def field(data: Buffer, table: int, index: int) -> int:
    """Returns the position of a table's field; 0: the field is not set."""
    vtable = table - number(data, table, "<i")
    size = number(data, vtable, "<H")
    slot = 4 + 2 * index
    offset = number(data, vtable + slot, "<H") if slot < size else 0
    return table + offset if offset else 0


def vector(data: Buffer, table: int, index: int, item: int) -> tuple[int, int]:
    """Returns the start and length of a vector field whose items have `item` bytes."""
    place = field(data, table, index)
    if not place:
        return 0, 0
    start = place + number(data, place, "<I")
    length = number(data, start, "<I")
    if length > (len(data) - start - 4) // item:
        raise FlatError(
            f"byte {start}: a vector of {length} items exceeds the file: truncated or damaged"
        )
    return start + 4, length


def tables(data: Buffer, table: int, index: int) -> Iterator[int]:
    """Yields the positions of the tables in a vector field."""
    start, length = vector(data, table, index, 4)
    for i in range(length):
        place = start + 4 * i
        yield place + number(data, place, "<I")


class Budget:
    """Bounds the work for a file in which many parts refer to the same bytes."""

    def __init__(self, size: int) -> None:
        """Starts with the limit for a file of `size` bytes."""
        self._left = 2 * size

    def take(self, size: int) -> None:
        """Counts bytes that are read; raises FlatError above the limit."""
        self._left -= size
        if self._left < 0:
            raise FlatError("many parts refer to the same bytes: damaged")

    def place(self, data: Buffer, table: int, index: int) -> tuple[int, int]:
        """Returns the start and end of a string or byte vector field."""
        start, length = vector(data, table, index, 1)
        self.take(length)
        return start, start + length
