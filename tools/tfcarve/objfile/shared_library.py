"""The properties of an ELF shared library (elf(5)) that decide where it can be loaded."""

from dataclasses import dataclass

from elftools.elf.dynamic import DynamicSegment, DynamicTag
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import NoteSegment

from tfcarve.errors import InvalidInput
from tfcarve.objfile import elf

_EXPORTED_BINDINGS = ("STB_GLOBAL", "STB_WEAK")
# Bits of DT_FLAGS and DT_FLAGS_1.
_STRIPPED = (".symtab", ".debug_info")
_DF_TEXTREL, _DF_BIND_NOW, _DF_1_NOW = 4, 8, 1


@dataclass(frozen=True, slots=True)
class SharedLibrary:
    """The properties of a shared library.

    Attributes:
      cpu: as elf.cpu_name calls it.
      bits: width of an address.
      soname: its DT_SONAME; "" without one.
      alignment: the smallest alignment of a loaded segment, in bytes.
      has_build_id: whether it has a build ID note.
      is_relro: whether all memory that relocation writes is read-only afterwards (full RELRO).
      has_text_relocations: whether relocation writes to code.
      is_stripped: whether it has neither a table of all symbols nor debug information.
      needed: the libraries that it loads (DT_NEEDED).
      exported: the symbols that it exports.
      initialisers: number of functions that run when it is loaded.
      android_api_level: the minimum API level of Android that the NDK linked it for; 0 without that note.
    """

    cpu: str
    bits: int
    soname: str
    alignment: int
    has_build_id: bool
    is_relro: bool
    has_text_relocations: bool
    is_stripped: bool
    needed: tuple[str, ...]
    exported: frozenset[str]
    initialisers: int
    android_api_level: int


def read_shared_library(data: bytes, where: str) -> SharedLibrary:
    """Reads a shared library.

    Args:
      data: the file.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no shared library, or damaged.
    """
    file = elf.open_elf(data, where)
    try:
        if file["e_type"] != "ET_DYN":
            raise InvalidInput(f"{where}: not a shared library (ELF type {file['e_type']})")
        return _read(file, elf.cpu_name(data, where), where)
    except elf.DAMAGED as error:
        raise elf.damaged(where, error) from None


def _read(file: ELFFile, cpu: str, where: str) -> SharedLibrary:
    segments = list(file.iter_segments())
    dynamic = next((s for s in segments if isinstance(s, DynamicSegment)), None)
    if dynamic is None:
        raise InvalidInput(f"{where}: not a shared library: it has no dynamic section")
    tags = list(dynamic.iter_tags())
    values = {tag.entry.d_tag: tag.entry.d_val for tag in tags}
    flags = values.get("DT_FLAGS", 0)
    notes = [n for s in segments if isinstance(s, NoteSegment) for n in s.iter_notes()]
    binds_now = (
        "DT_BIND_NOW" in values
        or bool(flags & _DF_BIND_NOW)
        or bool(values.get("DT_FLAGS_1", 0) & _DF_1_NOW)
    )
    return SharedLibrary(
        cpu=cpu,
        bits=file.elfclass,
        soname=next((_text(tag, "soname") for tag in tags if tag.entry.d_tag == "DT_SONAME"), ""),
        alignment=min((s["p_align"] for s in segments if s["p_type"] == "PT_LOAD"), default=0),
        has_build_id=any(note["n_type"] == "NT_GNU_BUILD_ID" for note in notes),
        is_relro=binds_now and any(s["p_type"] == "PT_GNU_RELRO" for s in segments),
        has_text_relocations="DT_TEXTREL" in values or bool(flags & _DF_TEXTREL),
        is_stripped=not any(file.get_section_by_name(name) for name in _STRIPPED),
        needed=tuple(_text(tag, "needed") for tag in tags if tag.entry.d_tag == "DT_NEEDED"),
        exported=frozenset(
            symbol.name
            for symbol in dynamic.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] in _EXPORTED_BINDINGS
        ),
        initialisers=values.get("DT_INIT_ARRAYSZ", 0) * 8 // file.elfclass,
        # From the NDK's crtbegin_so.o; the first word is the level.
        android_api_level=next(
            (
                int.from_bytes(n["n_descdata"][:4], "little")
                for n in notes
                if n["n_name"] == "Android"
            ),
            0,
        ),
    )


def _text(tag: DynamicTag, name: str) -> str:
    """The string of a tag, which pyelftools stores as an attribute named after the tag."""
    return str(getattr(tag, name))
