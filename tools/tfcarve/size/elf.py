"""A linked ELF library: its sections, and which address each entry of the linker's tables is about."""

import bisect
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from elftools.common.exceptions import ELFError
from elftools.dwarf.callframe import FDE
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection, RelrRelocationSection

from tfcarve.errors import BadInput


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


class Elf:
    """An ELF file in memory.

    Args:
      data: the file.
      where: its name, for messages.

    Raises:
      BadInput: it is no whole ELF file.
    """

    def __init__(self, data: bytes, where: str) -> None:
        self._data = data
        self._where = where
        try:
            self._elf = ELFFile(io.BytesIO(data))
            self.sections = tuple(self._sections())
            self.header_bytes = (
                self._elf["e_ehsize"]
                + self._elf["e_phnum"] * self._elf["e_phentsize"]
                + self._elf["e_shnum"] * self._elf["e_shentsize"]
            )
        except (ELFError, ValueError, OverflowError, TypeError, AttributeError) as error:
            raise BadInput(f"{where}: no ELF file: {error}") from None
        beyond = [s.name for s in self.sections if s.file_bytes > len(data)]
        if beyond:
            raise BadInput(f"{where}: section {beyond[0]!r} ends beyond the file: was it cut off?")

    def _sections(self) -> Iterator[Section]:
        for section in self._elf.iter_sections():
            flags = section["sh_flags"]
            yield Section(
                section.name,
                section["sh_addr"],
                section["sh_size"],
                0 if section["sh_type"] in ("SHT_NOBITS", "SHT_NULL") else section["sh_size"],
                bool(flags & SH_FLAGS.SHF_ALLOC),
                bool(flags & SH_FLAGS.SHF_WRITE),
            )

    @property
    def text_bytes(self) -> int:
        """Bytes that are loaded and never written: what GNU `size` calls text."""
        return sum(s.size for s in self.sections if s.loaded and not s.writable)

    def content(self, address: int, size: int) -> bytes:
        """Returns what the file has for `size` bytes at a loaded address; b"" where it has nothing."""
        for section in self._elf.iter_sections():
            start = section["sh_addr"]
            if (
                section["sh_flags"] & SH_FLAGS.SHF_ALLOC
                and start <= address < start + section["sh_size"]
            ):
                if section["sh_type"] == "SHT_NOBITS":
                    return b""
                offset = section["sh_offset"] + address - start
                return self._data[offset : offset + size]
        return b""

    def table_entries(self) -> Iterator[TableEntry]:
        """Yields the relocations and unwind entries, each with the address that it is about."""
        try:
            for section in self._elf.iter_sections():
                if isinstance(section, RelrRelocationSection):
                    yield from _packed(section)
                elif (
                    isinstance(section, RelocationSection)
                    and section["sh_flags"] & SH_FLAGS.SHF_ALLOC
                ):
                    size = section["sh_entsize"]
                    for relocation in section.iter_relocations():
                        yield TableEntry(section.name, relocation["r_offset"], size)
            yield from self._frames()
        except (ELFError, ValueError, KeyError, AssertionError) as error:
            raise BadInput(f"{self._where}: its relocations cannot be read: {error}") from None

    def _frames(self) -> Iterator[TableEntry]:
        if self._elf.get_section_by_name(".eh_frame") is None:
            return
        for entry in self._elf.get_dwarf_info(relocate_dwarf_sections=False).EH_CFI_entries():
            if isinstance(entry, FDE):
                address = entry.header["initial_location"]
                yield TableEntry(".eh_frame", address, entry.header["length"] + 4)
                yield TableEntry(".eh_frame_hdr", address, 8)


def _packed(section: RelrRelocationSection) -> Iterator[TableEntry]:
    """RELR packs many relocations into a word: each gets its part of the section, in whole bytes."""
    addresses = [relocation["r_offset"] for relocation in section.iter_relocations()]
    size, count = section["sh_size"], len(addresses)
    for number, address in enumerate(addresses):
        yield TableEntry(
            section.name, address, size * (number + 1) // count - size * number // count
        )


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
