"""The sections of ours in a built file: an ELF or Mach-O library, program or object, or an archive of objects.

Formats: elf(5); Apple's mach-o/loader.h and mach/machine.h.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tfcarve import elf_file, mach, universal
from tfcarve.errors import InvalidInput
from tfcarve.size import archive

_ELF = b"\x7fELF"
_ARCHIVE = b"!<arch>\n"

# What each section is called in ELF and in Mach-O.
TABLE = "tfcarve_table"
REFUSED = ".tfcarve.refused"
MANIFEST = ".tfcarve.manifest"
_MACH_NAMES = {"__tfcarve": TABLE, "__tfcarve_info": MANIFEST}
_OURS = frozenset((TABLE, REFUSED, MANIFEST))

# CPUs as Bazel's @platforms//cpu calls them -> their bits, ELF's e_machine, Mach-O's cputype.
CPUS: dict[str, tuple[int, int, int]] = {
    "aarch64": (64, 183, 0x0100000C),
    "armv7": (32, 40, 12),
    "x86_32": (32, 3, 7),
    "x86_64": (64, 62, 0x01000007),
}
_CPU_OF_ELF = {machine: name for name, (_, machine, _) in CPUS.items()}
_CPU_OF_MACH = {cputype: name for name, (_, _, cputype) in CPUS.items()}


@dataclass(frozen=True, slots=True)
class Image:
    """What a file holds for one machine.

    Attributes:
      name: the file's, for messages.
      sections: those of ours, by their ELF name.
      cpus: what its objects are for, as in CPUS, or the number that the file has for another.
    """

    name: str
    sections: dict[str, bytes]
    cpus: frozenset[str]


def is_binary(head: bytes) -> bool:
    """Whether a file that begins with `head` (8 bytes or more) is of a kind that `images` reads."""
    return head.startswith((_ELF, _ARCHIVE, universal.MAGIC, *mach.MAGICS))


def images(data: bytes, where: str) -> tuple[Image, ...]:
    """Reads a built file.

    Args:
      data: the file.
      where: its name, for messages.
    Returns: one image; one for each machine of a universal (fat) file.
    Raises InvalidInput where it is of no known kind, or damaged.
    """
    if data.startswith(universal.MAGIC):
        parts = enumerate(universal.parts(data, where))
        return tuple(_image(part, f"{where} ({number})") for number, part in parts)
    return (_image(data, where),)


def _image(data: bytes, where: str) -> Image:
    merged: dict[str, list[bytes]] = {}
    cpus = set()
    for one, place in _files(data, where):
        cpus.add(_cpu(one, place))
        for name, content in _elf(one, place) if one.startswith(_ELF) else _mach(one, place):
            merged.setdefault(name, []).append(content + b"\0")
    sections = {name: b"".join(parts) for name, parts in merged.items()}
    return Image(where, sections, frozenset(cpus))


def _files(data: bytes, where: str) -> Iterator[tuple[bytes, str]]:
    """Yields the file itself or the objects of an archive, with their names for messages."""
    if data.startswith((_ELF, *mach.MAGICS)):
        yield data, where
    elif data.startswith(_ARCHIVE):
        for name, content in archive.members(data, where):
            if content.startswith((_ELF, *mach.MAGICS)):
                yield content, f"{where}({name})"
    else:
        raise InvalidInput(
            f"{where}: no library: an ELF or Mach-O file or a static archive is expected"
        )


def _cpu(data: bytes, where: str) -> str:
    try:
        if data.startswith(_ELF):
            (number,) = struct.unpack_from(">H" if data[5] == 2 else "<H", data, 18)
            return _CPU_OF_ELF.get(number, f"ELF machine {number}")
        (number,) = struct.unpack_from("<I", data, 4)
        return _CPU_OF_MACH.get(number, f"Mach-O CPU {number:#x}")
    except (struct.error, IndexError):
        raise InvalidInput(f"{where}: cut off in its header") from None


def _elf(data: bytes, where: str) -> Iterator[tuple[str, bytes]]:
    # An object has thousands of sections, and most have none of ours: their names tell.
    if not any(name.encode() in data for name in _OURS):
        return
    elf = elf_file.opened(data, where)
    try:
        for section in elf.iter_sections():
            if section.name not in _OURS:
                continue
            start, size = section["sh_offset"], section["sh_size"]
            if section["sh_type"] == "SHT_NOBITS" or start + size > len(data):
                raise InvalidInput(
                    f"{where}: section {section.name} ends beyond the file: was it cut off?"
                )
            yield section.name, data[start : start + size]
    except elf_file.DAMAGED as error:
        raise InvalidInput(f"{where}: no whole ELF file: {error}") from None


def _mach(data: bytes, where: str) -> Iterator[tuple[str, bytes]]:
    if not any(name.encode() in data for name in _MACH_NAMES):
        return
    binary = mach.for_one_machine(data)
    if binary is None:
        raise InvalidInput(f"{where}: no whole Mach-O file")
    ours = 0
    for section in binary.sections:
        name = _MACH_NAMES.get(str(section.name))
        if name is None:
            continue
        ours += section.size
        if max(section.offset + section.size, ours) > len(data):
            raise InvalidInput(f"{where}: section {name} ends beyond the file: was it cut off?")
        yield name, data[section.offset : section.offset + section.size]
