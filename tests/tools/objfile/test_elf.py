"""Tests of opening ELF files, with headers that would make reading far more costly than the file's size."""

import struct

import pytest
from binaries import NOBITS, PROGBITS, elf_library, elf_object

from tfcarve.errors import InvalidInput
from tfcarve.objfile import elf
from tfcarve.objfile.shared_library import read_shared_library

# sizeof(Elf64_Ehdr)
_HEADER = 64
# sizeof(Elf64_Shdr)
_SECTION = 64


def _names(data: bytes) -> list[str]:
    return [section.name for section in elf.open_elf(data, "x.o").iter_sections()]


def test_sections() -> None:
    whole = elf_object(b"\0.text\0.bss\0", (1, PROGBITS, 0, 90), (7, NOBITS, 0, 1 << 40))
    assert _names(whole) == ["", ".text", ".bss"]


@pytest.mark.parametrize("size", [0, 3, 40, 63, 100])
def test_truncated(size: int) -> None:
    with pytest.raises(InvalidInput, match=r"x\.o: "):
        elf.open_elf(elf_object(b"\0.text\0", (1, PROGBITS, 0, 64))[:size], "x.o")


def test_overlapping_sections() -> None:
    good = elf_object(b"\0a\0", *[(1, PROGBITS, 0, 60)] * 9)
    assert len(_names(good)) == 10
    with pytest.raises(
        InvalidInput, match=r"x\.o: overlapping sections: \d+ bytes in a file of \d+"
    ):
        elf.open_elf(elf_object(b"\0a\0", *[(1, PROGBITS, 0, 80)] * 9), "x.o")


def test_a_long_name_shared_by_many_sections() -> None:
    sections = [(1, PROGBITS, 0, 1)] * 2000
    assert len(_names(elf_object(b"\0" + b"a" * 1000, *sections))) == 2001
    with pytest.raises(InvalidInput, match=r"x\.o: 2001 sections and a section name of 9000 bytes"):
        elf.open_elf(elf_object(b"\0" + b"a" * 9000, *sections), "x.o")


def test_too_many_sections() -> None:
    many = bytearray(elf_object(b"\0"))
    struct.pack_into("<H", many, 60, 0)  # then the first section's size is the number
    struct.pack_into("<Q", many, _HEADER + 1 + 32, 1 << 40)
    with pytest.raises(InvalidInput, match="1099511627776 sections"):
        elf.open_elf(bytes(many), "x.o")


def test_many_sections() -> None:
    """A kernel that is compiled with sanitizers has more than a damaged file of the same size may have."""
    number = 110_000
    # The first section has the names; with more than 65,535 sections, its size is their number.
    many = bytearray(elf_object(bytes(number)) + bytes((number - 1) * _SECTION))
    struct.pack_into("<H", many, 60, 0)
    with pytest.raises(
        InvalidInput, match=rf"x\.o: {number} sections in a file of {len(many)} bytes"
    ):
        elf.open_elf(bytes(many), "x.o")
    contents = bytes(number * _SECTION)
    assert elf.open_elf(bytes(many) + contents, "x.o").num_sections() == number


def test_a_note_whose_name_does_not_end() -> None:
    """The error that pyelftools raises is of the library with which it parses."""
    library = elf_library()
    assert read_shared_library(library, "x.so").soname == "libx.so"
    damaged = library.replace(b"GNU\0build-id", b"GNU!build-id")
    with pytest.raises(InvalidInput, match=r"x\.so: not a complete ELF file: .*missing terminator"):
        read_shared_library(damaged, "x.so")
