"""The mergeable sections (SHF_MERGE) of relocatable ELF objects: strings and constants that linkers deduplicate."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve.objfile import elf

_MERGE, _STRINGS = 0x10, 0x20
_NOBITS = 8
# A limit: without it, many sections could share a very long name.
_MAX_NAME = 4096


@dataclass(frozen=True, slots=True)
class Mergeable:
    """A mergeable section; `entry` is the size of a constant, or of a character of its strings."""

    name: str
    strings: bool
    entry: int
    content: bytes


def mergeable(data: bytes) -> Iterator[Mergeable]:
    """Yields the mergeable sections of a little-endian ELF object (ELF specification, 4-8); yields nothing for other files.

    It reads section headers directly: a library has hundreds of objects with thousands of sections each. It stops
    if the sections have more bytes than the file: then they overlap, and no compiler writes overlapping sections.
    """
    if data[:4] != elf.MAGIC or len(data) < 64 or data[5] != 1:
        return
    is_64_bit = data[4] == 2
    (table,) = struct.unpack_from("<Q" if is_64_bit else "<I", data, 0x28 if is_64_bit else 0x20)
    entry_size, count, names = struct.unpack_from("<HHH", data, 0x3A if is_64_bit else 0x2E)
    form = "<IIQQQQIIQQ" if is_64_bit else "<10I"
    size = struct.calcsize(form)
    if entry_size != size or table + size > len(data):
        return
    if count == 0:  # The number does not fit in 16 bits: it is in the first section header.
        first = struct.unpack_from(form, data, table)
        count, names = first[5], first[6] if names == 0xFFFF else names
    if table + count * size > len(data) or names >= count:
        return
    rows = [
        (row[0], row[1], row[2], row[4], row[5], row[9])
        for row in struct.iter_unpack(form, data[table : table + count * size])
    ]
    text = data[rows[names][3] : rows[names][3] + rows[names][4]]
    total = 0
    for name, kind, flags, offset, length, entry in rows:
        if flags & _MERGE and kind != _NOBITS and entry:
            total += length
            if total > len(data):
                return
            yield Mergeable(
                text[name : name + _MAX_NAME].partition(b"\0")[0].decode(errors="replace"),
                bool(flags & _STRINGS),
                entry,
                data[offset : offset + length],
            )
