"""What Android asks of a shared library, and what this project asks beside that.

Sources: elf(5); Android's "Support 16 KB page sizes"; the dynamic linker's notes in bionic
(android-changes-for-ndk-developers.md); the Java Native Interface's specification, "Resolving Native
Method Names".
"""

from collections.abc import Iterator
from dataclasses import dataclass

from elftools.elf.dynamic import DynamicSegment, DynamicTag
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import NoteSegment

from tfcarve import elf_file
from tfcarve.errors import InvalidInput

_PAGE = 16384
_LOWEST_EXPORTED = ("STB_GLOBAL", "STB_WEAK")
# What a library for apps may export: tfcarve's C interface and what Java binds to.
_EXPORTED = ("tfcarve_", "Java_", "JNI_OnLoad", "JNI_OnUnload")

# ABI, as an APK's folders are called -> ELF's machine and class.
ABIS: dict[str, tuple[str, int]] = {
    "arm64-v8a": ("EM_AARCH64", 64),
    "armeabi-v7a": ("EM_ARM", 32),
    "x86": ("EM_386", 32),
    "x86_64": ("EM_X86_64", 64),
}


@dataclass(frozen=True)
class AndroidLibrary:
    """What a shared library says of itself.

    Attributes:
      machine, bits: ELF's e_machine and the width of its addresses.
      soname: the name that it is loaded by; "" without one.
      alignment: the least alignment of its loaded segments, in bytes.
      has_build_id: whether it has a note with one.
      is_relro: whether all that relocation writes is read-only afterwards.
      has_text_relocations: whether relocation writes into code.
      needed: the libraries that it loads.
      exported: the symbols that others may bind.
      initialisers: how many functions run when it is loaded.
      api_level: the lowest API level of Android that the NDK linked it for; 0 where it does not tell.
    """

    machine: str
    bits: int
    soname: str
    alignment: int
    has_build_id: bool
    is_relro: bool
    has_text_relocations: bool
    needed: tuple[str, ...]
    exported: frozenset[str]
    initialisers: int
    api_level: int


def read(data: bytes, where: str) -> AndroidLibrary:
    """Reads a shared library.

    Args:
      data: the file.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no shared library, or damaged.
    """
    elf = elf_file.opened(data, where)
    try:
        if elf["e_type"] != "ET_DYN":
            raise InvalidInput(f"{where}: no shared library (ELF type {elf['e_type']})")
        return _library(elf, where)
    except elf_file.DAMAGED as error:
        raise InvalidInput(f"{where}: no whole ELF file: {error}") from None


def _library(elf: ELFFile, where: str) -> AndroidLibrary:
    segments = list(elf.iter_segments())
    dynamic = next((s for s in segments if isinstance(s, DynamicSegment)), None)
    if dynamic is None:
        raise InvalidInput(f"{where}: no shared library: it has no dynamic section")
    tags = list(dynamic.iter_tags())
    values = {tag.entry.d_tag: tag.entry.d_val for tag in tags}
    notes = [n for s in segments if isinstance(s, NoteSegment) for n in s.iter_notes()]
    return AndroidLibrary(
        machine=elf["e_machine"],
        bits=elf.elfclass,
        soname=next((_text(tag, "soname") for tag in tags if tag.entry.d_tag == "DT_SONAME"), ""),
        alignment=min((s["p_align"] for s in segments if s["p_type"] == "PT_LOAD"), default=0),
        has_build_id=any(note["n_type"] == "NT_GNU_BUILD_ID" for note in notes),
        is_relro=any(s["p_type"] == "PT_GNU_RELRO" for s in segments) and _binds_now(values),
        has_text_relocations="DT_TEXTREL" in values or bool(values.get("DT_FLAGS", 0) & 4),
        needed=tuple(_text(tag, "needed") for tag in tags if tag.entry.d_tag == "DT_NEEDED"),
        exported=frozenset(
            symbol.name
            for symbol in dynamic.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] in _LOWEST_EXPORTED
        ),
        initialisers=values.get("DT_INIT_ARRAYSZ", 0) * 8 // elf.elfclass,
        # The NDK's crtbegin_so.o has this note; its first word is the level.
        api_level=next(
            (
                int.from_bytes(n["n_descdata"][:4], "little")
                for n in notes
                if n["n_name"] == "Android"
            ),
            0,
        ),
    )


def _text(tag: DynamicTag, name: str) -> str:
    """The string that a tag names; pyelftools makes an attribute of it when it reads."""
    return str(getattr(tag, name))


def _binds_now(values: dict[str, int]) -> bool:
    """DF_BIND_NOW and DF_1_NOW."""
    flags, flags_1 = values.get("DT_FLAGS", 0), values.get("DT_FLAGS_1", 0)
    return "DT_BIND_NOW" in values or bool(flags & 8) or bool(flags_1 & 1)


def problems(library: AndroidLibrary, abi: str, file_name: str, api_level: int) -> Iterator[str]:
    """Yields what is wrong with a library that is to be lib/ABI/FILE_NAME of an app for `api_level` and higher."""
    machine, bits = ABIS[abi]
    if (library.machine, library.bits) != (machine, bits):
        yield (
            f"is for {library.machine} with {library.bits} bits; {abi} is {machine} with {bits} bits:"
            " compile it for that ABI"
        )
    if library.api_level > api_level:
        yield (
            f"was linked for API level {library.api_level}, the app is for {api_level} and higher: lower"
            " the NDK's, or raise the app's"
        )
    if library.soname != file_name:
        found = library.soname or "none"
        yield f"its SONAME is {found}; link with -Wl,-soname,{file_name}"
    if library.alignment < _PAGE:
        yield (
            f"its segments are aligned to {library.alignment} bytes; devices with pages of 16 KB need"
            f" {_PAGE}: link with -Wl,-z,max-page-size={_PAGE}"
        )
    if not library.has_build_id:
        yield "has no build id, by which crash reports find its symbols; link with -Wl,--build-id=sha1"
    if not library.is_relro:
        yield "can be written to after it is relocated; link with -Wl,-z,relro,-z,now"
    if library.has_text_relocations:
        yield "has relocations in its code, which Android refuses; compile with -fPIC"
    extra = sorted(name for name in library.exported if not name.startswith(_EXPORTED))
    if extra:
        yield (
            f"exports {len(extra)} symbols that are no interface: {', '.join(extra[:5])}; link with"
            " the version script and -fvisibility=hidden"
        )
