"""Mach-O files, read by lief. It takes half a second to load: only where there is one to read."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import lief

# How files for 64 and for 32 bits begin (mach-o/loader.h).
MAGIC_64 = b"\xcf\xfa\xed\xfe"
MAGICS = (MAGIC_64, b"\xce\xfa\xed\xfe")


def for_one_machine(data: bytes) -> lief.MachO.Binary | None:
    """Returns the Mach-O file in `data`; None where it is none, or one for several machines."""
    import lief

    lief.logging.disable()
    read = lief.MachO.parse(io.BytesIO(data))
    return read.at(0) if read is not None and read.size == 1 else None
