"""Tests of reading and writing files, data types, and defines."""

import os
import tempfile
from pathlib import Path

import pytest

from tfcarve import dtypes, files
from tfcarve.errors import CheckFailed, InvalidInput, Problem


def test_write_if_changed(tmp_path: Path) -> None:
    path = tmp_path / "a/b"
    assert files.write_if_changed(path, b"one")
    os.utime(path, ns=(1, 1))
    assert not files.write_if_changed(path, b"one")
    assert path.stat().st_mtime_ns == 1
    assert files.write_if_changed(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in path.parent.iterdir()] == ["b"]


def test_a_failed_write_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "folder/x").mkdir(parents=True)
    with pytest.raises(InvalidInput, match="folder: cannot be written"):
        files.write_if_changed(tmp_path / "folder", b"data")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_write_directory(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("mine")
    files.require_own(tmp_path, b"mine".startswith)
    files.write_directory(tmp_path, {"new": b"x"})
    assert [p.name for p in tmp_path.iterdir()] == ["new"]
    with pytest.raises(InvalidInput, match="new: cannot be written"):
        files.write_directory(tmp_path / "new", {})


def test_a_folder_with_other_files(tmp_path: Path) -> None:
    files.require_own(tmp_path / "none", b"".startswith)
    (tmp_path / "a").write_text("mine, and more")
    files.require_own(tmp_path, lambda head: head.startswith(b"mine"))
    (tmp_path / "b").write_text("yours")
    with pytest.raises(
        InvalidInput, match="contains 'b', which tfcarve did not write: give a separate folder"
    ):
        files.require_own(tmp_path, lambda head: head.startswith(b"mine"))
    (tmp_path / "b").unlink()
    (tmp_path / "c").mkdir()
    with pytest.raises(InvalidInput, match="contains 'c'"):
        files.require_own(tmp_path, lambda head: True)


def test_cache_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert files.cache_directory() == tmp_path / "x/tfcarve"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "h"))
    assert files.cache_directory() == tmp_path / "h/.cache/tfcarve"
    monkeypatch.setenv("HOME", "/dev/null")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    assert files.cache_directory().parent == tmp_path
    monkeypatch.setattr(os, "getuid", lambda: -1)
    (tmp_path / "tfcarve--1").mkdir()
    with pytest.raises(InvalidInput, match="belongs to another user"):
        files.cache_directory()


@pytest.mark.parametrize(
    ("read", "text", "name"),
    [
        (dtypes.from_enum, "DT_HALF", "float16"),
        (dtypes.from_enum, "TF_INT64", "int64"),
        (dtypes.from_enum, "DT_FLOAT_REF", "float32_ref"),
        (dtypes.from_enum, "DT_INT2", "int2"),
        (dtypes.from_enum, "DT_WRONG", None),
        (dtypes.from_enum, "kTypes", None),
        (dtypes.from_spec, "double", "float64"),
        (dtypes.from_spec, "half_ref", "float16_ref"),
        (dtypes.from_spec, "wrong", None),
        (dtypes.from_cpp, "::tensorflow::int8", "int8"),
        (dtypes.from_cpp, "std::complex< float >", "complex64"),
        (dtypes.from_cpp, "unsigned char", "uint8"),
        (dtypes.from_cpp, "Mine", None),
        (dtypes.from_number, 119, "float16_ref"),
        (dtypes.from_number, 99, None),
    ],
)
def test_data_types(read: object, text: object, name: str | None) -> None:
    assert callable(read) and read(text) == name


def test_problem() -> None:
    error = CheckFailed("no:", [Problem("a", ("b",), "c"), Problem("d")])
    assert str(error) == "no:\n  a\n    needed by b\n    c\n  d"
