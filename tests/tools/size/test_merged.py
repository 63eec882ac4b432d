"""Tests of attributing merged strings and constants."""

import struct
import subprocess
from pathlib import Path

import binaries
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.objfile import mergeable
from tfcarve.size.merged import Merged, items


def test_a_string_belongs_to_the_first_object_that_has_it(tmp_path: Path) -> None:
    objects = []
    for name, said in (("a", "both"), ("b", "both"), ("c", "other")):
        source = tmp_path / f"{name}.c"
        source.write_text(f'const char* {name}(void) {{ return "{said}"; }}\n')
        subprocess.run(["gcc", "-Os", "-c", source, "-o", tmp_path / f"{name}.o"], check=True)
        objects.append((f"{name}.o", (tmp_path / f"{name}.o").read_bytes()))
    merged = Merged(objects)
    found = list(merged.attribute(b"both\0other\0\0nobody\0", ".rodata.str1.1"))
    assert [(s.owner if s else None, size) for s, size in found] == [
        ("a.o", 5),
        ("c.o", 6),
        (None, 1),
        (None, 7),
    ]


def test_constants_are_split_by_their_size() -> None:
    assert list(items(bytes(range(8)), False, 4)) == [b"\0\1\2\3", b"\4\5\6\7"]


@pytest.mark.parametrize("size", ["", "²", "9" * 5000])
def test_sections_without_a_valid_size_have_strings(size: str) -> None:
    assert list(Merged([]).attribute(b"ab\0c\0", f".rodata.cst{size}")) == [(None, 3), (None, 2)]


def test_overlapping_sections_are_not_read() -> None:
    """Otherwise the time would be the product of their number and the file's size."""
    text = b"one\0two\0" * 20
    one = bytearray(binaries.elf_with({".rodata.str1.1": text, ".rodata.str1.8": text}))
    assert len(list(mergeable.mergeable(bytes(one)))) == 2
    table = len(one) - 4 * 64
    for section in (1, 2):
        struct.pack_into("<QQ", one, table + 64 * section + 24, 0, len(one))
    assert len(list(mergeable.mergeable(bytes(one)))) == 1


def test_a_long_name_of_a_section() -> None:
    name = ".rodata.str" + "1" * 9000
    (found,) = mergeable.mergeable(binaries.elf_with({name: b"a\0"}))
    assert found.name == name[:4096]


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    header = b"\x7fELF\x02\x01"
    for object_ in (data, header + data, header + b"\0" * 34 + data):
        list(Merged([("x", object_)]).attribute(b"abc\0", ".rodata.str1.1"))
