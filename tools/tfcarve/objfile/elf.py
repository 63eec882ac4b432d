"""Opens ELF files (elf(5)) with pyelftools, which trusts every header that it reads."""

import io
import struct

from elftools.common.exceptions import DWARFError, ELFError
from elftools.common.utils import struct_parse
from elftools.construct import ConstructError
from elftools.elf.elffile import ELFFile

from tfcarve.errors import InvalidInput
from tfcarve.objfile import cpu

MAGIC = b"\x7fELF"
# The errors that pyelftools raises for damaged files.
DAMAGED = (
    ConstructError,
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
# A large file may have more sections. In compilers' output, one has at least 290 bytes with its header: kernels that are compiled
# with sanitizers have 400,000 sections.
_MAX_SECTIONS = 100_000
_MIN_BYTES = 128
# pyelftools reads each section's name separately, and names may overlap. The names in compilers' output total at
# most twice the file's size.
_MAX_NAMES_RATIO = 16
_MAX_NAMES_EXTRA = 1 << 20


def open_elf(data: bytes, where: str) -> ELFFile:
    """Opens an ELF file.

    Args:
      data: the file.
      where: its name, for messages.

    Returns:
      The file. Reading from it may raise DAMAGED.

    Raises:
      InvalidInput: it is no ELF file, or its section headers would make reading far more costly than its size.
    """
    try:
        elf = ELFFile(io.BytesIO(data))
        why = _why_costly(elf, data)
    except DAMAGED as error:
        raise damaged(where, error) from None
    if why:
        raise InvalidInput(f"{where}: {why}: damaged, or crafted to exhaust memory")
    return elf


def damaged(where: str, error: BaseException) -> InvalidInput:
    """Returns the error to raise for a file for which pyelftools raised `error`."""
    return InvalidInput(f"{where}: not a complete ELF file: {error}")


def cpu_name(data: bytes, where: str) -> str:
    """Returns the CPU of an ELF file: a name of cpu.BY_NAME, or `ELF machine NUMBER` for any other.

    Raises:
      InvalidInput: the file ends in its header.
    """
    try:
        (machine,) = struct.unpack_from(">H" if data[5] == 2 else "<H", data, 18)
    except (struct.error, IndexError):
        raise InvalidInput(f"{where}: truncated in its ELF header") from None
    known = cpu.BY_ELF_MACHINE.get(machine)
    return known.name if known else f"ELF machine {machine}"


def _why_costly(elf: ELFFile, data: bytes) -> str:
    count = elf.num_sections()
    if count > max(_MAX_SECTIONS, len(data) // _MIN_BYTES):
        return f"{count} sections in a file of {len(data)} bytes"
    begin, step = elf["e_shoff"], elf["e_shentsize"]
    headers = [
        struct_parse(elf.structs.Elf_Shdr, elf.stream, begin + number * step)
        for number in range(count)
    ]
    # Callers report sections that end beyond the file, with their names.
    inside = sum(
        h["sh_size"]
        for h in headers
        if h["sh_type"] not in ("SHT_NOBITS", "SHT_NULL")
        and h["sh_offset"] + h["sh_size"] <= len(data)
    )
    if inside > len(data):
        return f"overlapping sections: {inside} bytes in a file of {len(data)}"
    if headers:
        names = headers[elf.get_shstrndx()]
        start = names["sh_offset"]
        longest = max(map(len, data[start : start + names["sh_size"]].split(b"\0")))
        if longest * count > _MAX_NAMES_RATIO * len(data) + _MAX_NAMES_EXTRA:
            return f"{count} sections and a section name of {longest} bytes"
    return ""
