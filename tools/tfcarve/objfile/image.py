"""Named sections of a library, program or object, or of all objects in an archive, for each CPU of the file."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.objfile import archive, elf, macho, universal


@dataclass(frozen=True, slots=True)
class SectionName:
    """A section's name in ELF and in Mach-O files; empty for a format without the section."""

    elf: str
    macho: str


@dataclass(frozen=True, slots=True)
class Image:
    """The content of a file for one CPU.

    Attributes:
      name: the file's name, with the slice of a universal file, for messages.
      sections: the requested sections. For an archive, the sections of its objects are concatenated, each with a zero byte.
      cpus: CPUs of its objects, as elf.cpu_name and macho.cpu_name call them.
    """

    name: str
    sections: Mapping[SectionName, bytes]
    cpus: frozenset[str]


def is_object_file(head: bytes) -> bool:
    """Whether a file that begins with `head` (8 bytes or more) is of a format that `images` reads."""
    return head.startswith((elf.MAGIC, archive.MAGIC, universal.MAGIC, *macho.MAGICS))


def images(data: bytes, where: str, names: Collection[SectionName]) -> tuple[Image, ...]:
    """Reads an ELF, Mach-O or universal file, or a static archive.

    Args:
      data: the file.
      where: its name, for messages.
      names: the sections to read.

    Returns:
      One image; for a universal file, one for each slice.

    Raises:
      InvalidInput: it is of another format, or damaged.
    """
    if data.startswith(universal.MAGIC):
        return tuple(_image(part.data, part.name, names) for part in universal.slices(data, where))
    return (_image(data, where, names),)


def _image(data: bytes, where: str, names: Collection[SectionName]) -> Image:
    merged: dict[SectionName, list[bytes]] = {}
    cpus = set()
    for content, place in _objects(data, where):
        if content.startswith(elf.MAGIC):
            cpus.add(elf.cpu_name(content, place))
            sections = _elf_sections(content, place, {n.elf: n for n in names if n.elf})
        else:
            cpus.add(macho.cpu_name(macho.cpu_type(content, place)))
            sections = _macho_sections(content, place, {n.macho: n for n in names if n.macho})
        for name, section in sections:
            merged.setdefault(name, []).append(section + b"\0")
    joined = {name: b"".join(parts) for name, parts in merged.items()}
    return Image(where, joined, frozenset(cpus))


def _objects(data: bytes, where: str) -> Iterator[tuple[bytes, str]]:
    """Yields the file itself or the objects of an archive, with their names for messages."""
    magics = (elf.MAGIC, *macho.MAGICS)
    if data.startswith(magics):
        yield data, where
    elif data.startswith(archive.MAGIC):
        for name, content in archive.members(data, where):
            if content.startswith(magics):
                yield content, f"{where}({name})"
    else:
        raise InvalidInput(
            f"{where}: not a library: expected an ELF or Mach-O file or a static archive"
        )


def _elf_sections(
    data: bytes, where: str, names: Mapping[str, SectionName]
) -> Iterator[tuple[SectionName, bytes]]:
    # Most objects have none of the sections, but thousands of others.
    if not any(name.encode() in data for name in names):
        return
    file = elf.open_elf(data, where)
    try:
        for section in file.iter_sections():
            if section.name not in names:
                continue
            start, size = section["sh_offset"], section["sh_size"]
            if section["sh_type"] == "SHT_NOBITS" or start + size > len(data):
                raise _beyond(where, section.name)
            yield names[section.name], data[start : start + size]
    except elf.DAMAGED as error:
        raise elf.damaged(where, error) from None


def _macho_sections(
    data: bytes, where: str, names: Mapping[str, SectionName]
) -> Iterator[tuple[SectionName, bytes]]:
    if not any(name.encode() in data for name in names):
        return
    binary = macho.open_macho(data)
    if binary is None:
        raise InvalidInput(f"{where}: not a complete Mach-O file")
    total = 0
    for section in binary.sections:
        name = names.get(str(section.name))
        if name is None:
            continue
        total += section.size
        if max(section.offset + section.size, total) > len(data):
            raise _beyond(where, str(section.name))
        yield name, data[section.offset : section.offset + section.size]


def _beyond(where: str, section: str) -> InvalidInput:
    return InvalidInput(f"{where}: section {section} ends beyond the file: is it truncated?")
