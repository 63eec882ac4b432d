"""Tests of attributing merged strings and constants."""

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

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


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data: bytes) -> None:
    header = b"\x7fELF\x02\x01"
    for object_ in (data, header + data, header + b"\0" * 34 + data):
        list(Merged([("x", object_)]).attribute(b"abc\0", ".rodata.str1.1"))
