"""A linked Mach-O library for one CPU (mach-o/loader.h) as a LinkedFile."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfcarve.errors import InvalidInput
from tfcarve.objfile import macho
from tfcarve.objfile.linked import Section, TableEntry

if TYPE_CHECKING:
    import lief

# struct mach_header_64
_HEADER = 32

# Segments whose pages are not written to after loading.
_NEVER_WRITTEN = ("__TEXT", "__DATA_CONST")
_ZEROFILL = ("ZEROFILL", "GB_ZEROFILL", "THREAD_LOCAL_ZEROFILL")


class LinkedMachO:
    """A linked Mach-O library.

    Args:
      data: the file.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no Mach-O file, or a segment ends beyond the file.
    """

    def __init__(self, data: bytes, where: str) -> None:
        binary = macho.open_macho(data)
        if binary is None:
            raise InvalidInput(f"{where}: not a complete Mach-O file")
        self._data = data
        self._offsets = [(s.virtual_address, s.size, s.offset) for s in binary.sections]
        self.header_bytes = _HEADER + binary.header.sizeof_cmds
        segments = [s.file_offset + s.file_size for s in binary.segments]
        # lief reads truncated files as far as they go.
        if max([self.header_bytes, *segments]) > len(data) or not segments:
            raise InvalidInput(f"{where}: a segment ends beyond the file: is it truncated?")
        try:
            self.sections = tuple(_sections(binary))
        except UnicodeDecodeError:
            raise InvalidInput(f"{where}: a segment has a name that is not UTF-8") from None

    @property
    def text_bytes(self) -> int:
        """Bytes that are loaded and never written."""
        return sum(s.size for s in self.sections if s.loaded and not s.writable)

    def content(self, address: int, size: int) -> bytes:
        """Returns `size` bytes at a loaded address; b"" if the file has no content for it."""
        for start, length, offset in self._offsets:
            if start <= address < start + length and offset:
                at = offset + address - start
                return self._data[at : at + size]
        return b""

    def table_entries(self) -> Iterator[TableEntry]:
        """Yields nothing: fixups are a stream in __LINKEDIT, not an entry for each address."""
        return iter(())


def _sections(binary: "lief.MachO.Binary") -> Iterator[Section]:
    for s in binary.sections:
        yield Section(
            f"{s.segment_name},{s.name!s}",
            s.virtual_address,
            s.size,
            0 if macho.section_type(s) in _ZEROFILL else s.size,
            True,
            s.segment_name not in _NEVER_WRITTEN,
        )
    # Symbols, exports, fixups and the signature are in no section.
    for segment in binary.segments:
        if segment.name == "__LINKEDIT":
            yield Section(
                str(segment.name),
                segment.virtual_address,
                segment.file_size,
                segment.file_size,
                False,
                False,
            )
