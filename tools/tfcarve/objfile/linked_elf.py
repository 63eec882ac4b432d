"""A linked ELF library (elf(5)) as a LinkedFile."""

from collections.abc import Iterator

from elftools.dwarf.callframe import FDE
from elftools.elf.constants import SH_FLAGS
from elftools.elf.relocation import RelocationSection, RelrRelocationSection

from tfcarve.errors import InvalidInput
from tfcarve.objfile import elf
from tfcarve.objfile.linked import Section, TableEntry


class LinkedElf:
    """A linked ELF library.

    Args:
      data: the file.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no ELF file, or a section ends beyond the file.
    """

    def __init__(self, data: bytes, where: str) -> None:
        self._data = data
        self._where = where
        self._elf = elf.open_elf(data, where)
        try:
            self.sections = tuple(self._sections())
            self._offsets = tuple(s["sh_offset"] for s in self._elf.iter_sections())
            self.header_bytes = (
                self._elf["e_ehsize"]
                + self._elf["e_phnum"] * self._elf["e_phentsize"]
                + self._elf["e_shnum"] * self._elf["e_shentsize"]
            )
        except elf.DAMAGED as error:
            raise elf.damaged(where, error) from None
        beyond = [s.name for s in self.sections if s.file_bytes > len(data)]
        if beyond:
            raise InvalidInput(
                f"{where}: section {beyond[0]!r} ends beyond the file: is it truncated?"
            )

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
        """Bytes that are loaded and never written; GNU `size` calls them text."""
        return sum(s.size for s in self.sections if s.loaded and not s.writable)

    def content(self, address: int, size: int) -> bytes:
        """Returns `size` bytes at a loaded address; b"" if the file has no content for it."""
        for section, offset in zip(self.sections, self._offsets, strict=True):
            at = address - section.address
            if section.loaded and 0 <= at < section.size:
                return self._data[offset + at : offset + at + size] if section.file_bytes else b""
        return b""

    def table_entries(self) -> Iterator[TableEntry]:
        """Yields relocations and unwind entries, each with the address that it applies to."""
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
        except elf.DAMAGED as error:
            raise InvalidInput(f"{self._where}: relocations cannot be read: {error}") from None

    def _frames(self) -> Iterator[TableEntry]:
        if self._elf.get_section_by_name(".eh_frame") is None:
            return
        for entry in self._elf.get_dwarf_info(relocate_dwarf_sections=False).EH_CFI_entries():
            if isinstance(entry, FDE):
                address = entry.header["initial_location"]
                yield TableEntry(".eh_frame", address, entry.header["length"] + 4)
                yield TableEntry(".eh_frame_hdr", address, 8)


def _packed(section: RelrRelocationSection) -> Iterator[TableEntry]:
    """RELR packs many relocations into a word: each gets an equal share of the section, in whole bytes."""
    addresses = [relocation["r_offset"] for relocation in section.iter_relocations()]
    size, count = section["sh_size"], len(addresses)
    for number, address in enumerate(addresses):
        yield TableEntry(
            section.name, address, size * (number + 1) // count - size * number // count
        )
