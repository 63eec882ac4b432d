"""Attributes strings and constants that the linker merged.

A linker map shows merged strings as one section of the linker. Each comes from the first live object, in link order,
that has it: linkers keep that copy (lld/ELF/SyntheticSections.cpp).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tfcarve.objfile.mergeable import mergeable

# The end of the name of a section of constants, with their size.
_CONSTANTS = re.compile(r"\.cst(\d{1,9})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Source:
    """The object that a merged item comes from, and the name of its section in that object."""

    owner: str
    section: str


def items(content: bytes, strings: bool, entry: int) -> Iterator[bytes]:
    """Yields the items of a mergeable section: strings with their terminator, or constants of `entry` bytes."""
    if not strings:
        yield from (content[at : at + entry] for at in range(0, len(content), entry))
        return
    if entry != 1:
        yield content  # Wide strings are too few to split.
        return
    start = 0
    while start < len(content):
        end = content.find(b"\0", start)
        end = len(content) if end < 0 else end + 1
        yield content[start:end]
        start = end


class Merged:
    """The sources of merged items.

    Args:
      objects: (owner as in the map, content) of the objects of the link, in link order.
    """

    def __init__(self, objects: Iterable[tuple[str, bytes]]) -> None:
        self._sources: dict[bytes, Source] = {}
        for owner, data in objects:
            for section in mergeable(data):
                for item in items(section.content, section.strings, section.entry):
                    self._sources.setdefault(item, Source(owner, section.name))

    def attribute(self, content: bytes, name: str) -> Iterator[tuple[Source | None, int]]:
        """Yields (source or None, bytes) for each item of a merged output section.

        Args:
          content: the section's bytes.
          name: of the input section that it is named after: .rodata.str1.1, .rodata.cst16.
        """
        constant = _CONSTANTS.search(name)
        sized = int(constant[1]) if constant else 0
        for item in items(content, not sized, sized or 1):
            # The linker aligns strings with single zero bytes.
            yield self._sources.get(item) if item != b"\0" else None, len(item)
