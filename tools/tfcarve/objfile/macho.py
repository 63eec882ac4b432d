"""Opens Mach-O files (mach-o/loader.h) with lief, which is imported on first use: that takes half a second."""

from __future__ import annotations

import io
import struct
import warnings
from typing import TYPE_CHECKING

from tfcarve.errors import InvalidInput
from tfcarve.objfile import cpu

if TYPE_CHECKING:
    import lief

# The first bytes of little-endian files with 64-bit and 32-bit addresses.
MAGIC_64 = b"\xcf\xfa\xed\xfe"
MAGICS = (MAGIC_64, b"\xce\xfa\xed\xfe")


def open_macho(data: bytes) -> lief.MachO.Binary | None:
    """Returns the Mach-O file in `data`; None if it is damaged or universal."""
    import lief

    lief.logging.disable()
    read = lief.MachO.parse(io.BytesIO(data))
    return read.at(0) if read is not None and read.size == 1 else None


def section_type(section: lief.MachO.Section) -> str:
    """Returns lief's name of a section's type; "" for a number that it does not know."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(getattr(section.type, "name", ""))


def cpu_type(data: bytes, where: str) -> int:
    """Returns the cputype in a Mach-O header.

    Raises:
      InvalidInput: the file ends in its header.
    """
    try:
        (number,) = struct.unpack_from("<I", data, 4)
    except struct.error:
        raise InvalidInput(f"{where}: truncated in its Mach-O header") from None
    return int(number)


def cpu_name(number: int) -> str:
    """Returns the CPU of a cputype: a name of cpu.BY_NAME, or `Mach-O CPU NUMBER` for any other."""
    known = cpu.BY_MACHO_TYPE.get(number)
    return known.name if known else f"Mach-O CPU {number:#x}"
