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
# The commands that declare sections, with the sizes of the command and of a section, and where the number of sections is:
# LC_SEGMENT and LC_SEGMENT_64.
_SEGMENTS = {0x1: (56, 68, 48), 0x19: (72, 80, 64)}


def open_macho(data: bytes) -> lief.MachO.Binary | None:
    """Returns the Mach-O file in `data`; None if it is damaged or universal."""
    if not data.startswith(MAGICS) or not _has_its_commands(data):
        return None
    import lief

    lief.logging.disable()
    read = lief.MachO.parse(io.BytesIO(data))
    return read.at(0) if read is not None and read.size == 1 else None


def _has_its_commands(data: bytes) -> bool:
    """Returns whether all load commands, and the sections that they declare, are inside the file.

    lief creates as many sections as a segment declares, even if there is no space for them.
    """
    at = 32 if data.startswith(MAGIC_64) else 28
    try:
        (count,) = struct.unpack_from("<I", data, 16)
        for _ in range(count):
            command, size = struct.unpack_from("<II", data, at)
            if command in _SEGMENTS:
                fixed, section, place = _SEGMENTS[command]
                (sections,) = struct.unpack_from("<I", data, at + place)
                if fixed + sections * section > size:
                    return False
            at += size
            if size < 8 or at > len(data):
                return False
    except struct.error:
        return False
    return True


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
