"""Tests of reading archives that ar writes."""

import subprocess
from pathlib import Path

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.objfile import archive


def _archive(folder: Path) -> bytes:
    names = ["short.o", "a_name_that_is_longer_than_sixteen_bytes.pic.o", "odd.o"]
    for name, content in zip(names, (b"12", b"34", b"567"), strict=True):
        (folder / name).write_bytes(content)
    subprocess.run(["ar", "qcsD", "x.a", *names, "odd.o"], cwd=folder, check=True)
    return (folder / "x.a").read_bytes()


def test_long_names_and_two_members_of_the_same_name(tmp_path: Path) -> None:
    assert list(archive.members(_archive(tmp_path), "x.a")) == [
        ("short.o", b"12"),
        ("a_name_that_is_longer_than_sixteen_bytes.pic.o", b"34"),
        ("odd.o", b"567"),
        ("odd.o", b"567"),
    ]


def test_truncated_archive(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="ends beyond the archive"):
        list(archive.members(_archive(tmp_path)[:-2], "x.a"))


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"!<arch>\n" + b"x" * 60])
def test_invalid_archive(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"x\.a"):
        assert list(archive.members(data, "x.a")) is None


def test_a_long_name_without_terminator() -> None:
    def member(name: bytes, content: bytes) -> bytes:
        return name.ljust(48) + str(len(content)).encode().ljust(10) + b"`\n" + content

    names = member(b"//", b"a" * 1_000_000)
    data = b"!<arch>\n" + names + member(b"/7", b"") * 20_000
    found = {len(name) for name, _ in archive.members(data, "x.a")}
    assert found == {4096}
