"""A linked Mach-O library for one machine (mach-o/loader.h), as tfcarve.size.binary asks for it."""

from collections.abc import Iterator

from tfcarve import mach
from tfcarve.errors import InvalidInput
from tfcarve.size.binary import Section, TableEntry

# struct mach_header_64
_HEADER = 32

# Pages of these segments are not written to after the loader is done.
_NEVER_WRITTEN = ("__TEXT", "__DATA_CONST")
_ZEROFILL = ("ZEROFILL", "GB_ZEROFILL", "THREAD_LOCAL_ZEROFILL")


class MachO:
    """A Mach-O file in memory.

    Args:
      data: the file.
      where: its name, for messages.

    Raises:
      InvalidInput: it is none, or one for several machines.
    """

    def __init__(self, data: bytes, where: str) -> None:
        binary = mach.for_one_machine(data)
        if binary is None:
            raise InvalidInput(f"{where}: no Mach-O file for one machine: take it apart with lipo")
        self._data = data
        self._offsets = [(s.virtual_address, s.size, s.offset) for s in binary.sections]
        self.header_bytes = _HEADER + binary.header.sizeof_cmds
        segments = [s.file_offset + s.file_size for s in binary.segments]
        # lief reads what is there of a file that was cut off.
        if max([self.header_bytes, *segments]) > len(data) or not segments:
            raise InvalidInput(f"{where}: a Mach-O file that ends too early: was it cut off?")
        made = [
            Section(
                f"{s.segment_name},{s.name!s}",
                s.virtual_address,
                s.size,
                0 if s.type.name in _ZEROFILL else s.size,
                True,
                s.segment_name not in _NEVER_WRITTEN,
            )
            for s in binary.sections
        ]
        # Symbols, exports, fixups, the signature: no section has them.
        made += [
            Section(str(s.name), s.virtual_address, s.file_size, s.file_size, False, False)
            for s in binary.segments
            if s.name == "__LINKEDIT"
        ]
        self.sections = tuple(made)

    @property
    def text_bytes(self) -> int:
        """Bytes that are loaded and never written."""
        return sum(s.size for s in self.sections if s.loaded and not s.writable)

    def content(self, address: int, size: int) -> bytes:
        """Returns what the file has for `size` bytes at a loaded address."""
        for start, length, offset in self._offsets:
            if start <= address < start + length and offset:
                at = offset + address - start
                return self._data[at : at + size]
        return b""

    def table_entries(self) -> Iterator[TableEntry]:
        """Yields nothing: fixups are a stream in __LINKEDIT that is no one address's."""
        return iter(())
