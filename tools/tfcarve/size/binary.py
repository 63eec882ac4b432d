"""What attribution asks of a linked library, whatever its format."""

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Section:
    """A section: where it is loaded (0: not at all), its size and its bytes in the file."""

    name: str
    address: int
    size: int
    file_bytes: int
    loaded: bool
    writable: bool


@dataclass(frozen=True, slots=True)
class TableEntry:
    """`size` bytes of the section `section` that the linker made for what lies at `address`."""

    section: str
    address: int
    size: int


class Binary(Protocol):
    """A linked library in memory."""

    @property
    def sections(self) -> tuple[Section, ...]:
        """Its sections, by the names that the linker's map has."""

    @property
    def header_bytes(self) -> int:
        """Bytes of the file that tell where all else is."""

    @property
    def text_bytes(self) -> int:
        """Bytes that are loaded and never written: what GNU `size` calls text."""

    def content(self, address: int, size: int) -> bytes:
        """Returns what the file has for `size` bytes at a loaded address; b"" where it has nothing."""

    def table_entries(self) -> Iterator[TableEntry]:
        """Yields what the linker made for single addresses: relocations, unwind entries."""


class Addresses:
    """Finds, among things that lie at addresses, the one that an address is in.

    Args:
      spans: (address, size), in the order of what they stand for.
    """

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._sorted = sorted((a, a + s, i) for i, (a, s) in enumerate(spans) if s)
        self._starts = [start for start, _, _ in self._sorted]

    def at(self, address: int) -> int | None:
        """Returns the number of the span that holds `address`, or None."""
        found = bisect.bisect_right(self._starts, address) - 1
        if found >= 0 and address < self._sorted[found][1]:
            return self._sorted[found][2]
        return None
