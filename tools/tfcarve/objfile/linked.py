"""The view of a linked library that size attribution needs, for every format."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its address (0 if it is not loaded), its size in memory and its size in the file."""

    name: str
    address: int
    size: int
    file_bytes: int
    loaded: bool
    writable: bool


@dataclass(frozen=True, slots=True)
class TableEntry:
    """`size` bytes in the section `section` that the linker generated for the code or data at `address`."""

    section: str
    address: int
    size: int


class LinkedFile(Protocol):
    """A linked library in memory."""

    @property
    def sections(self) -> tuple[Section, ...]:
        """Its sections, with the names that the linker's map uses."""

    @property
    def header_bytes(self) -> int:
        """Bytes of the headers of the file, the segments and the sections."""

    @property
    def text_bytes(self) -> int:
        """Bytes that are loaded and never written; GNU `size` calls them text."""

    def content(self, address: int, size: int) -> bytes:
        """Returns `size` bytes at a loaded address; b"" if the file has no content for it."""

    def table_entries(self) -> Iterator[TableEntry]:
        """Yields the bytes that the linker generated for single addresses: relocations and unwind entries."""
