"""Tests of opening ELF files, with headers that would make reading far more costly than the file's size."""

import struct

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.objfile import elf

_FILE = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_PROGBITS, _STRTAB, _NOBITS = 1, 3, 8


def _elf(names: bytes, *sections: tuple[int, int, int, int]) -> bytes:
    """Returns an object for x86_64 with section names, and sections of (offset of name, type, offset, size)."""
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    at = _FILE.size + len(names)
    file = _FILE.pack(
        head, 1, 62, 1, 0, 0, at, 0, _FILE.size, 0, 0, _SECTION.size, 1 + len(sections), 0
    )
    of_names = _SECTION.pack(0, _STRTAB, 0, 0, _FILE.size, len(names), 0, 0, 1, 0)
    rows = [
        _SECTION.pack(name, kind, 0, 0, at, size, 0, 0, 1, 0) for name, kind, at, size in sections
    ]
    return file + names + of_names + b"".join(rows)


def _names(data: bytes) -> list[str]:
    return [section.name for section in elf.open_elf(data, "x.o").iter_sections()]


def test_sections() -> None:
    whole = _elf(b"\0.text\0.bss\0", (1, _PROGBITS, 0, 90), (7, _NOBITS, 0, 1 << 40))
    assert _names(whole) == ["", ".text", ".bss"]


@pytest.mark.parametrize("size", [0, 3, 40, 63, 100])
def test_truncated(size: int) -> None:
    with pytest.raises(InvalidInput, match=r"x\.o: "):
        elf.open_elf(_elf(b"\0.text\0", (1, _PROGBITS, 0, 64))[:size], "x.o")


def test_overlapping_sections() -> None:
    good = _elf(b"\0a\0", *[(1, _PROGBITS, 0, 60)] * 9)
    assert len(_names(good)) == 10
    with pytest.raises(
        InvalidInput, match=r"x\.o: overlapping sections: \d+ bytes in a file of \d+"
    ):
        elf.open_elf(_elf(b"\0a\0", *[(1, _PROGBITS, 0, 80)] * 9), "x.o")


def test_a_long_name_shared_by_many_sections() -> None:
    sections = [(1, _PROGBITS, 0, 1)] * 2000
    assert len(_names(_elf(b"\0" + b"a" * 1000, *sections))) == 2001
    with pytest.raises(InvalidInput, match=r"x\.o: 2001 sections and a section name of 9000 bytes"):
        elf.open_elf(_elf(b"\0" + b"a" * 9000, *sections), "x.o")


def test_too_many_sections() -> None:
    many = bytearray(_elf(b"\0"))
    struct.pack_into("<H", many, 60, 0)  # then the first section's size is the number
    struct.pack_into("<Q", many, _FILE.size + 1 + 32, 1 << 40)
    with pytest.raises(InvalidInput, match="1099511627776 sections"):
        elf.open_elf(bytes(many), "x.o")
