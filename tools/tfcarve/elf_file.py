"""ELF files (elf(5)), opened by pyelftools, which believes all that a file says of itself."""

import io
import struct

from elftools.common.exceptions import DWARFError, ELFError
from elftools.common.utils import struct_parse
from elftools.elf.elffile import ELFFile

from tfcarve.errors import InvalidInput

# What pyelftools raises for files that are damaged.
DAMAGED = (
    ELFError,
    DWARFError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    struct.error,
)
_MOST_SECTIONS = 100_000
# Each section's name is read by itself, to its end, and names may share their ends. What compilers make comes
# to twice the file at most.
_NAMES_TIMES = 16
_NAMES_SPARE = 1 << 20


def opened(data: bytes, where: str) -> ELFFile:
    """Opens an ELF file.

    Args:
      data: the file.
      where: its name, for messages.
    Returns: the file; what reads on in it may raise DAMAGED.
    Raises InvalidInput where it is none, or where what its sections say would take far more than the file.
    """
    try:
        elf = ELFFile(io.BytesIO(data))
        why = _too_costly(elf, data)
    except DAMAGED as error:
        raise InvalidInput(f"{where}: no whole ELF file: {error}") from None
    if why:
        raise InvalidInput(f"{where}: {why}: damaged or made to be costly")
    return elf


def _too_costly(elf: ELFFile, data: bytes) -> str:
    count = elf.num_sections()
    if count > _MOST_SECTIONS:
        return f"{count} sections"
    begin, step = elf["e_shoff"], elf["e_shentsize"]
    headers = [
        struct_parse(elf.structs.Elf_Shdr, elf.stream, begin + number * step)
        for number in range(count)
    ]
    # Those that end beyond the file are for the reader to tell, by their names.
    inside = sum(
        h["sh_size"]
        for h in headers
        if h["sh_type"] not in ("SHT_NOBITS", "SHT_NULL")
        and h["sh_offset"] + h["sh_size"] <= len(data)
    )
    if inside > len(data):
        return f"sections that overlap: {inside} bytes in a file of {len(data)}"
    if headers:
        names = headers[elf.get_shstrndx()]
        start = names["sh_offset"]
        longest = max(map(len, data[start : start + names["sh_size"]].split(b"\0")))
        if longest * count > _NAMES_TIMES * len(data) + _NAMES_SPARE:
            return f"{count} sections, a name of {longest} bytes"
    return ""
