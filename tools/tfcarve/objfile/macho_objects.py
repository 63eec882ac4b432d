"""The CPU, platform and minimum OS version that a library was compiled for (mach-o/loader.h)."""

from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.objfile import archive, cpu, elf, macho, universal

_PLATFORMS = {2: "ios", 7: "ios-simulator", 1: "macos", 6: "maccatalyst"}
# Sections of functions that run at load time, with the bytes for each function.
_INITIALISERS = {"__mod_init_func": 8, "__init_offsets": 4}


@dataclass(frozen=True, slots=True)
class MachObject:
    """An object of a static library, or a shared library.

    Attributes:
      name: the library's and the member's name, for messages.
      arch: Apple's name of the CPU, e.g. "arm64".
      platform: "ios", "ios-simulator", …; "" if the object does not state it.
      minimum_os: major and minor number of the minimum OS version; (0, 0) if the object does not state it.
      initialisers: number of functions that run when it is loaded.
    """

    name: str
    arch: str
    platform: str
    minimum_os: tuple[int, int]
    initialisers: int


def mach_objects(data: bytes, where: str) -> Iterator[MachObject]:
    """Yields each object of a static library, or a shared library, and those of all slices of a universal one.

    Args:
      data: the library.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no library, or has a member that is no Mach-O object.
    """
    parts = (
        universal.slices(data, where)
        if data.startswith(universal.MAGIC)
        else (universal.Slice(where, data),)
    )
    for part in parts:
        if part.data.startswith(macho.MAGICS):
            yield _mach_object(part.data, part.name)
            continue
        for member, content in archive.members(part.data, part.name):
            if not member.startswith("__.SYMDEF"):
                yield _mach_object(content, f"{part.name}({member})")


def imported_symbols(data: bytes, where: str) -> frozenset[str]:
    """Returns the symbols that a shared library imports: "_fstat".

    Raises:
      InvalidInput: it is not a complete Mach-O file.
    """
    binary = macho.open_macho(data)
    if binary is None:
        raise InvalidInput(f"{where}: not a complete Mach-O file")
    return frozenset(str(symbol.name) for symbol in binary.imported_symbols)


def _mach_object(data: bytes, where: str) -> MachObject:
    if data.startswith(elf.MAGIC):
        raise InvalidInput(f"{where}: an ELF object for Linux or Android; iOS objects are Mach-O")
    if not data.startswith(macho.MAGICS):
        raise InvalidInput(
            f"{where}: not a Mach-O object: if it was compiled with -flto, compile without"
        )
    binary = macho.open_macho(data)
    if binary is None:
        raise InvalidInput(f"{where}: not a complete Mach-O object")
    kind = macho.cpu_type(data, where)
    known = cpu.BY_MACHO_TYPE.get(kind)
    arch = known.apple_name if known else f"CPU {kind:#x}"
    platform, minimum_os = "", (0, 0)
    build, version = binary.build_version, binary.version_min
    if build is not None:
        # lief's enumeration does not have all values of a damaged file.
        number = int.from_bytes(bytes(build.data)[8:12], "little")
        platform = _PLATFORMS.get(number, f"platform {number}")
        minimum_os = (build.minos[0], build.minos[1])
    elif version is not None:
        # Compilers wrote this load command before arm64 simulators existed: the CPU decides.
        platform = "ios" if arch in ("arm64", "armv7") else "ios-simulator"
        minimum_os = (version.version[0], version.version[1])
    return MachObject(
        name=where,
        arch=arch,
        platform=platform,
        minimum_os=minimum_os,
        initialisers=sum(
            s.size // _INITIALISERS[name]
            for s in binary.sections
            if (name := str(s.name)) in _INITIALISERS
        ),
    )
