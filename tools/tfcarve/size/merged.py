"""Whose the strings and constants are that the linker merged.

A map shows merged strings as one section of the linker's own. The first live object, in link order, that
has a string gave it: so does the linker choose (lld/ELF/SyntheticSections.cpp).
"""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_MERGE, _STRINGS = 0x10, 0x20
_NOBITS = 8


@dataclass(frozen=True, slots=True)
class Source:
    """The object that a merged item comes from, and the name of its section there."""

    owner: str
    section: str


@dataclass(frozen=True, slots=True)
class _Mergeable:
    name: str
    strings: bool
    entry: int
    content: bytes


def _mergeable(data: bytes) -> Iterator[_Mergeable]:
    """Yields the mergeable sections of a little-endian relocatable ELF object (ELF specification, 4-8).

    Read directly: objects have thousands of sections each, and a library has hundreds of objects.
    """
    if data[:4] != b"\x7fELF" or len(data) < 64 or data[5] != 1:
        return
    wide = data[4] == 2
    (table,) = struct.unpack_from("<Q" if wide else "<I", data, 0x28 if wide else 0x20)
    entry_size, count, names = struct.unpack_from("<HHH", data, 0x3A if wide else 0x2E)
    form = "<IIQQQQIIQQ" if wide else "<10I"
    size = struct.calcsize(form)
    if entry_size != size or table + size > len(data):
        return
    if count == 0:  # More than fit in 16 bits: the first header has the number.
        first = struct.unpack_from(form, data, table)
        count, names = first[5], first[6] if names == 0xFFFF else names
    if table + count * size > len(data) or names >= count:
        return
    rows = [
        (row[0], row[1], row[2], row[4], row[5], row[9])
        for row in struct.iter_unpack(form, data[table : table + count * size])
    ]
    text = data[rows[names][3] : rows[names][3] + rows[names][4]]
    for name, kind, flags, offset, length, entry in rows:
        if flags & _MERGE and kind != _NOBITS and entry:
            end = text.find(b"\0", name)
            yield _Mergeable(
                text[name:end].decode(errors="replace"),
                bool(flags & _STRINGS),
                entry,
                data[offset : offset + length],
            )


def items(content: bytes, strings: bool, entry: int) -> Iterator[bytes]:
    """Yields what a mergeable section holds: strings with their end, or constants of `entry` bytes."""
    if not strings:
        yield from (content[at : at + entry] for at in range(0, len(content), entry))
        return
    if entry != 1:
        yield content  # wide strings: too few to take apart
        return
    start = 0
    while start < len(content):
        end = content.find(b"\0", start)
        end = len(content) if end < 0 else end + 1
        yield content[start:end]
        start = end


class Merged:
    """Finds where merged items come from.

    Args:
      objects: (owner as in the map, content) of the objects of the link, in link order.
    """

    def __init__(self, objects: Iterable[tuple[str, bytes]]) -> None:
        self._sources: dict[bytes, Source] = {}
        for owner, data in objects:
            for section in _mergeable(data):
                for item in items(section.content, section.strings, section.entry):
                    self._sources.setdefault(item, Source(owner, section.name))

    def attribute(self, content: bytes, name: str) -> Iterator[tuple[Source | None, int]]:
        """Yields (source or None, bytes) for each item of a merged section of the output.

        Args:
          content: the section's bytes.
          name: of the input section that it is called after: .rodata.str1.1, .rodata.cst16.
        """
        constant = name.rpartition(".cst")[2]
        sized = int(constant) if ".cst" in name and constant.isdigit() else 0
        for item in items(content, not sized, sized or 1):
            # An end of a string alone is what the linker aligns strings with.
            yield self._sources.get(item) if item != b"\0" else None, len(item)
