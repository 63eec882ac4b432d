"""Readers of built libraries: ELF, Mach-O, archives, and the maps of their links."""

from __future__ import annotations

import binaries
from selections import selection

from fuzz.reader import Reader, of_text
from tfcarve.errors import InvalidInput
from tfcarve.objfile import archive, macho_objects, open_linked, shared_library, universal
from tfcarve.proof import manifest, sections, table
from tfcarve.releases import known
from tfcarve.size import attribute, link_map, merged
from tfcarve.size.merged import Merged
from tfcarve.size.origin import Library, Origins, generated_sources

_STRINGS, _CONSTANTS = ".rodata.str1.1", ".rodata.cst4"


def _linked(data: bytes) -> object:
    file = open_linked.open_linked(data, "x.so")
    pieces = [file.content(section.address, section.size) for section in file.sections]
    return list(file.table_entries()), file.text_bytes, file.header_bytes, sum(map(len, pieces))


def _proof(data: bytes) -> object:
    found = []
    for image in sections.images(data, "x.so"):
        known = image.sections
        found.append(table.parse(known.get(sections.TABLE, b""), image.name))
        found.append(table.parse(known.get(sections.REFUSED, b""), image.name))
        if sections.MANIFEST in known:
            manifest.parse(known[sections.MANIFEST], image.name)
    return found


def _objects(data: bytes) -> object:
    members = archive.members(data, "x.a")
    items = Merged(members).attribute(b"one\0two\0\0", _STRINGS)
    return list(items)


_TABLE = b'unit\x1fk/add.cc\0op\x1f"Add"\x1ffalse\0kernel\x1f"Add"\x1ftrue\x1fAddOp<CPU, float>\0'
_SELECTION = selection([("Add", "AddOp", "k/add.cc"), ("Sub", "SubOp", "k/add.cc")], [("Add", "o.cc")])  # fmt: skip
_ORIGINS = Origins(
    [Library(path="libunits.a", name="units", part=None)],
    generated_sources(_SELECTION, known.release()),
)
_MANIFEST = manifest.of(_SELECTION).to_json().encode() + b"\0"
_OBJECT = binaries.elf_with({
    "tfcarve_table": _TABLE, ".tfcarve.manifest": _MANIFEST, _STRINGS: b"one\0two\0", _CONSTANTS: b"12345678",
})  # fmt: skip
_MACHO = binaries.macho_library({
    "__text": b"code", "__tfcarve": _TABLE, "__tfcarve_info": _MANIFEST,
})  # fmt: skip
_MACHO_OBJECT = binaries.macho_object({"__text": b"code", "__mod_init_func": bytes(16)})
_MACHO_ARCHIVE = binaries.archive({"a.o": _MACHO_OBJECT, "with_a_name_of_many_letters.o": _MACHO_OBJECT})  # fmt: skip
_UNIT = binaries.elf_with({"tfcarve_table": _TABLE, _STRINGS: b"one\0two\0"})
_ARCHIVE = binaries.archive({"a.o": _OBJECT, "with_a_name_of_many_letters.o": _UNIT})
_LIBRARY = binaries.elf_library(b"one\0two\0")
_FAT = universal.pack({"arm64": _MACHO_ARCHIVE, "x86_64": _MACHO_ARCHIVE})
_FAT_LIBRARY = universal.pack({"arm64": _MACHO})

_LLD = b"""\
             VMA              LMA     Size Align Out     In      Symbol
             400              400       20     8 .rodata
             400              400       10     1         libunits.a(k__add.pic.o):(.rodata.table)
             400              400        8     1                 table
             410              410        9     1         <internal>:(.rodata.str1.1)
"""
_GNU = b"""\
Linker script and memory map

.rodata         0x0000000000000400       0x20
 .rodata.table  0x0000000000000400       0x10 libunits.a(k__add.pic.o)
 .rodata.a_long_name_of_a_section
                0x0000000000000410        0x9 core.o
"""
_LD64 = b"""\
# Path: x.dylib
# Object files:
[  0] linker synthesized
[  1] libunits.a(k__add.o)
# Sections:
# Address\tSize\tSegment\tSection
0x000001b8\t0x00000020\t__TEXT\t__text
# Symbols:
# Address\tSize\tFile  Name
0x000001b8\t0x00000004\t[  1] _table
"""


def _size(text: str) -> object:
    """Attributes the bytes of libraries by a map; symbols of C++ would run the demangler."""
    found = link_map.parse(text.replace("_Z", "_"), "x.map")
    objects = [("libunits.a(k__add.pic.o)", _OBJECT)]
    return [
        attribute.report(
            "p", data, open_linked.open_linked(data, "x.so"), found, objects, _SELECTION, _ORIGINS
        )
        for data in (_LIBRARY, _MACHO)
    ]


READERS: dict[str, Reader] = {
    "linked": Reader([open_linked], _linked, InvalidInput, [_LIBRARY, _MACHO], 16_000_000),
    "shared_library": Reader(
        [shared_library], lambda data: shared_library.read_shared_library(data, "x.so"), InvalidInput, [_LIBRARY], 16_000_000
    ),
    "proof": Reader(
        [sections, table, manifest], _proof, InvalidInput, [_OBJECT, _ARCHIVE, _MACHO, _FAT_LIBRARY], 16_000_000
    ),
    "objects": Reader([archive, merged], _objects, InvalidInput, [_ARCHIVE]),
    "macho_objects": Reader(
        [macho_objects], lambda data: list(macho_objects.mach_objects(data, "x.a")), InvalidInput, [_MACHO_ARCHIVE, _FAT], 16_000_000
    ),
    "link_map": Reader([link_map, attribute, open_linked], of_text(_size), InvalidInput, [_LLD, _GNU, _LD64], 16_000_000),
}  # fmt: skip
