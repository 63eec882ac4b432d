"""What the objects of a static library were compiled for.

Formats: Apple's mach-o/loader.h; elf(5).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve import mach, universal
from tfcarve.errors import InvalidInput
from tfcarve.size import archive

_ARCHIVE = b"!<arch>\n"
_ELF = b"\x7fELF"

# cputype and cpusubtype of mach/machine.h, by the name that Apple's tools use.
CPU_TYPES: dict[str, tuple[int, int]] = {
    "arm64": (0x0100000C, 0),
    "x86_64": (0x01000007, 3),
}
_ARCHS = {kind[0]: name for name, kind in CPU_TYPES.items()} | {7: "i386", 12: "armv7"}
_PLATFORMS = {2: "ios", 7: "ios-simulator", 1: "macos", 6: "maccatalyst"}


@dataclass(frozen=True, slots=True)
class MachObject:
    """One object of a static library.

    Attributes:
      name: of the library and the member, for messages.
      arch: the CPU as Apple's tools call it, e.g. "arm64".
      platform: "ios", "ios-simulator", …; "" where the object does not tell.
      minimum_os: major and minor number of the oldest system that it is for; (0, 0) where it does not tell.
      initialisers: how many functions run when it is loaded.
    """

    name: str
    arch: str
    platform: str
    minimum_os: tuple[int, int]
    initialisers: int


def mach_objects(data: bytes, where: str) -> Iterator[MachObject]:
    """Yields each object of a static library, of all parts of a universal one.

    Args:
      data: the library.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no static library, or holds what is no Mach-O object.
    """
    for part in universal.parts(data, where) if data.startswith(universal.MAGIC) else (data,):
        if not part.startswith(_ARCHIVE):
            raise InvalidInput(f"{where}: no static library: it does not begin with !<arch>")
        for member, content in archive.members(part, where):
            if not member.startswith("__.SYMDEF"):
                yield _mach_object(content, f"{where}({member})")


def _mach_object(data: bytes, where: str) -> MachObject:
    if data.startswith(_ELF):
        raise InvalidInput(f"{where}: an object for Linux or Android: iOS's are Mach-O")
    if not data.startswith(mach.MAGICS):
        raise InvalidInput(
            f"{where}: no Mach-O object: was it compiled with -flto? compile without"
        )
    binary = mach.for_one_machine(data)
    if binary is None:
        raise InvalidInput(f"{where}: no whole Mach-O object")
    (cpu,) = struct.unpack_from("<I", data, 4)
    platform, minimum_os = "", (0, 0)
    build, oldest = binary.build_version, binary.version_min
    if build is not None:
        number = int(build.platform.value)
        platform = _PLATFORMS.get(number, f"platform {number}")
        minimum_os = (build.minos[0], build.minos[1])
    elif oldest is not None:
        # Compilers wrote this before there were simulators for arm64: the CPU tells.
        platform = "ios" if _ARCHS.get(cpu) in ("arm64", "armv7") else "ios-simulator"
        minimum_os = (oldest.version[0], oldest.version[1])
    sizes = {"__mod_init_func": 8, "__init_offsets": 4}
    return MachObject(
        name=where,
        arch=_ARCHS.get(cpu, f"CPU {cpu:#x}"),
        platform=platform,
        minimum_os=minimum_os,
        initialisers=sum(s.size // sizes.get(str(s.name), s.size + 1) for s in binary.sections),
    )
