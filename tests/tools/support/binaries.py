"""Builds minimal ELF, Mach-O and archive files for tests. Formats: elf(5), mach-o/loader.h, ar(5)."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

_FILE = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
PROGBITS, STRTAB, NOBITS = 1, 3, 8
_RELA, _DYNAMIC, _NOTE, _DYNSYM, _RELR = 4, 6, 7, 11, 19
_PT_LOAD, _PT_DYNAMIC, _PT_NOTE, _PT_RELRO = 1, 2, 4, 0x6474E552
_RELOCATABLE, _SHARED = 1, 3
_WRITE, _ALLOC, _MERGE, _STRINGS = 1, 2, 0x10, 0x20


def _elf_header(kind: int, sections: int, count: int, segments: int, last: int) -> bytes:
    start = _FILE.size if segments else 0
    return _FILE.pack(
        b"\x7fELF\x02\x01\x01".ljust(16, b"\0"), kind, 62, 1, 0, start, sections, 0,
        _FILE.size, _SEGMENT.size, segments, _SECTION.size, count, last,
    )  # fmt: skip


def elf_object(names: bytes, *sections: tuple[int, int, int, int]) -> bytes:
    """Returns an object for x86_64 with section names, and sections of (offset of name, type, offset, size)."""
    at = _FILE.size + len(names)
    file = _elf_header(_RELOCATABLE, at, 1 + len(sections), 0, 0)
    of_names = _SECTION.pack(0, STRTAB, 0, 0, _FILE.size, len(names), 0, 0, 1, 0)
    rows = [
        _SECTION.pack(name, kind, 0, 0, at, size, 0, 0, 1, 0) for name, kind, at, size in sections
    ]
    return file + names + of_names + b"".join(rows)


def elf_with(contents: Mapping[str, bytes]) -> bytes:
    """Returns an object for x86_64 with sections; the names .rodata.str1.1 and .rodata.cst4 make them mergeable."""
    rows = []
    for name, content in contents.items():
        merge = _MERGE if ".str" in name or ".cst" in name else 0
        flags = _ALLOC | merge | (_STRINGS if ".str" in name else 0)
        rows.append((name, PROGBITS, flags, 0, content, 0, 4 if ".cst" in name else 1))
    return _linked(_RELOCATABLE, (), rows)


def _linked(
    kind: int,
    segments: Sequence[tuple[int, str]],
    rows: Sequence[tuple[str, int, int, int, bytes, int, int]],
) -> bytes:
    """Returns an ELF file whose sections are loaded where they are in the file.

    Args:
      kind: e_type.
      segments: the type of each segment, and its section; "" for the whole file.
      rows: name, type, flags, link, content, info and size of an entry of each section.
    """
    names = b"\0" + b"".join(name.encode() + b"\0" for name, *_ in rows) + b".shstrtab\0"
    at = _FILE.size + _SEGMENT.size * len(segments)
    body, table, places = b"", bytes(_SECTION.size), {}
    for name, type_, flags, link, content, info, entry in (
        *rows,
        (".shstrtab", STRTAB, 0, 0, names, 0, 0),
    ):
        padding = -(at + len(body)) % 8
        body += bytes(padding)
        start = at + len(body)
        places[name] = start, len(content)
        table += _SECTION.pack(
            names.index(b"\0" + name.encode() + b"\0") + 1, type_, flags, start if flags else 0, start,
            len(content), link, info, 8, entry,
        )  # fmt: skip
        body += content
    body += bytes(-(at + len(body)) % 8)
    end = at + len(body)
    places[""] = 0, end
    headers = b"".join(
        _SEGMENT.pack(type_, 4, places[name][0], places[name][0], places[name][0], places[name][1], places[name][1], 0x1000)
        for type_, name in segments
    )  # fmt: skip
    count = len(rows) + 2
    return _elf_header(kind, end, count, len(segments), count - 1) + headers + body + table


def _at(rows: Sequence[tuple[str, int, int, int, bytes, int, int]], wanted: str) -> int:
    """Returns the address of a section of a library with five segments."""
    at = _FILE.size + _SEGMENT.size * 5
    for name, *_, content, _, _ in rows:
        at += -at % 8
        if name == wanted:
            return at
        at += len(content)
    raise KeyError(wanted)


def elf_library(data: bytes = b"table\0") -> bytes:
    """Returns a shared library for x86_64 with `data` in .rodata, a symbol, relocations, notes and unwind entries."""
    strings = b"\0tfcarve_run\0libx.so\0libm.so.6\0"
    symbols = bytes(_SYMBOL.size) + _SYMBOL.pack(1, 0x12, 0, 6, 0x400, 8)
    notes = struct.pack("<III4s8s", 4, 8, 3, b"GNU\0", b"build-id")
    notes += struct.pack("<III8sI", 8, 4, 1, b"Android\0", 21)
    cie = struct.pack("<IIB3sBBBBB3x", 16, 0, 1, b"zR\0", 1, 0x78, 16, 1, 0x1B)
    fde = struct.pack("<IIiIB3x", 16, len(cie) + 4, 0x100, 16, 0)
    frames = cie + fde + bytes(4)

    def rows(dynamic: bytes) -> list[tuple[str, int, int, int, bytes, int, int]]:
        return [
            (".note", _NOTE, _ALLOC, 0, notes, 0, 0),
            (".dynstr", STRTAB, _ALLOC, 0, strings, 0, 0),
            (".dynsym", _DYNSYM, _ALLOC, 2, symbols, 1, _SYMBOL.size),
            (".rela.dyn", _RELA, _ALLOC, 3, struct.pack("<QQq", 0x400, 8, 0x400), 0, 24),
            (".relr.dyn", _RELR, _ALLOC, 0, struct.pack("<QQ", 0x400, 7), 0, 8),
            (".rodata", PROGBITS, _ALLOC, 0, data, 0, 0),
            (".eh_frame", PROGBITS, _ALLOC, 0, frames, 0, 0),
            (".dynamic", _DYNAMIC, _ALLOC | _WRITE, 2, dynamic, 0, 16),
        ]

    # DT_SONAME, DT_NEEDED, DT_STRTAB, DT_STRSZ, DT_SYMTAB, DT_FLAGS with BIND_NOW, DT_INIT_ARRAYSZ, DT_NULL
    layout = rows(bytes(16 * 8))
    tags = (
        (14, 13), (1, 21), (5, _at(layout, ".dynstr")), (10, len(strings)), (6, _at(layout, ".dynsym")),
        (30, 8), (27, 8), (0, 0),
    )  # fmt: skip
    dynamic = b"".join(struct.pack("<QQ", *tag) for tag in tags)
    segments = (
        (_PT_LOAD, ""),
        (_PT_LOAD, ".rodata"),
        (_PT_DYNAMIC, ".dynamic"),
        (_PT_NOTE, ".note"),
        (_PT_RELRO, ".dynamic"),
    )
    return _linked(_SHARED, segments, rows(dynamic))


_MACH_HEADER = struct.Struct("<8I")
_MACH_SEGMENT = struct.Struct("<II16sQQQQIIII")
_MACH_SECTION = struct.Struct("<16s16sQQIIIIIIII")
_MACH_OBJECT, _MACH_LIBRARY = 1, 6


def _macho(kind: int, segments: Sequence[tuple[bytes, Mapping[str, bytes]]]) -> bytes:
    """Returns a Mach-O file for arm64 with segments, each with its sections."""
    sizes = [_MACH_SEGMENT.size + _MACH_SECTION.size * len(s) for _, s in segments]
    version = struct.pack("<6I", 0x32, 24, 2, 0x000C0000, 0x000D0000, 0)
    at = _MACH_HEADER.size + sum(sizes) + len(version)
    commands, body = b"", b""
    for (segment, sections), size in zip(segments, sizes, strict=True):
        rows, start = b"", at + len(body)
        for name, content in sections.items():
            place = at + len(body)
            of = segment or b"__TEXT"
            rows += _MACH_SECTION.pack(
                name.encode(), of, place, len(content), place, 3, 0, 0, 0, 0, 0, 0
            )
            body += content + bytes(-len(content) % 8)
        length = at + len(body) - start
        commands += _MACH_SEGMENT.pack(
            0x19, size, segment, start, length, start, length, 5, 5, len(sections), 0
        )
        commands += rows
    header = _MACH_HEADER.pack(
        0xFEEDFACF, 0x0100000C, 0, kind, len(segments) + 1, sum(sizes) + len(version), 0, 0
    )
    return header + commands + version + body


def macho_object(sections: Mapping[str, bytes]) -> bytes:
    """Returns an object for arm64 and iOS with sections."""
    return _macho(_MACH_OBJECT, [(b"", sections)])


def macho_library(sections: Mapping[str, bytes]) -> bytes:
    """Returns a shared library for arm64 and iOS with sections in __TEXT."""
    return _macho(_MACH_LIBRARY, [(b"__TEXT", sections), (b"__LINKEDIT", {})])


def archive(members: Mapping[str, bytes]) -> bytes:
    """Returns a static archive in GNU's form; names of more than 15 characters are in its table of long names."""
    long_names = b"".join(name.encode() + b"/\n" for name in members if len(name) > 15)
    written = b"!<arch>\n"

    def add(name: bytes, content: bytes) -> bytes:
        head = name.ljust(16) + b"0".ljust(12) + b"0".ljust(6) * 2 + b"644".ljust(8)
        return (
            head
            + str(len(content)).encode().ljust(10)
            + b"`\n"
            + content
            + b"\n" * (len(content) % 2)
        )

    if long_names:
        written += add(b"//", long_names)
    for name, content in members.items():
        is_long = len(name) > 15
        short = (
            b"/%d" % long_names.index(name.encode() + b"/\n") if is_long else name.encode() + b"/"
        )
        written += add(short, content)
    return written
