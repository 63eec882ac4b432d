"""The ARM architecture that an object was compiled for, by its build attributes."""

from __future__ import annotations

import io

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import ARMAttributesSection

# "Addenda to, and Errata in, the ABI for the Arm Architecture", build attributes: VFPv4, NEONv1 with fused
# multiply-accumulate, arguments in VFP registers (hard-float).
RASPBERRY_PI_2 = {"TAG_FP_ARCH": 5, "TAG_ADVANCED_SIMD_ARCH": 2, "TAG_ABI_VFP_ARGS": 1}


def attributes(data: bytes) -> dict[str, int]:
    """Returns the build attributes of RASPBERRY_PI_2 that a 32-bit ARM object has.

    Use it for objects: in a linked library lld keeps only the attributes of the first object, which is the system's.
    """
    section = ELFFile(io.BytesIO(data)).get_section_by_name(".ARM.attributes")
    if not isinstance(section, ARMAttributesSection):
        return {}
    found: dict[str, int] = {}
    for vendor in section.iter_subsections():
        for part in vendor.iter_subsubsections():
            found |= {a.tag: a.value for a in part.iter_attributes() if a.tag in RASPBERRY_PI_2}
    return found
