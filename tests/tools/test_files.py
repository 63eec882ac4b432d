"""Tests of reading and writing files, data types, and defines."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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


@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_stays(tmp_path: Path, exists: bool) -> None:
    target, link = tmp_path / "folder/target", tmp_path / "link"
    target.parent.mkdir()
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    assert files.write_if_changed(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert [p.name for p in target.parent.iterdir()] == ["target"]


@pytest.mark.parametrize("data", [b"", b"a line\n", bytes(200_000)])
def test_a_pipe_stays(tmp_path: Path, data: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        assert files.write_if_changed(pipe, data)
        assert read.result(60) == data
    assert pipe.is_fifo()


def test_nothing_is_written_to_a_pipe_if_the_content_fails(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"some"
        raise InvalidInput("the rest is damaged")

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(InvalidInput, match="the rest is damaged"):
        files.write_pieces(pipe, pieces())
    assert os.read(reader, 100) == b""
    os.close(reader)


_TO_DESCRIPTOR = """
import sys
from pathlib import Path
from tfcarve import files
print("before", flush=True)
files.write_if_changed(Path(sys.argv[1]), b"data\\n")
print("after")
"""


@pytest.mark.parametrize("number", ["/proc/self/fd/1", "/dev/fd/1"])
def test_an_open_file_is_written_at_its_position(tmp_path: Path, number: str) -> None:
    command = [sys.executable, "-c", _TO_DESCRIPTOR, number]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = tmp_path / "printed"
    with printed.open("wb") as stream:
        subprocess.run(command, check=True, stdout=stream, env=environment)
    assert printed.read_text() == "before\ndata\nafter\n"
    piped = subprocess.run(command, check=True, capture_output=True, env=environment)
    assert piped.stdout == printed.read_bytes()


def test_copy(tmp_path: Path) -> None:
    source, link, target = tmp_path / "source", tmp_path / "link", tmp_path / "target"
    source.write_bytes(bytes(range(256)) * 10_000)
    link.symlink_to(target)
    files.copy(source, link)
    assert link.is_symlink()
    assert target.read_bytes() == source.read_bytes()
    with pytest.raises(InvalidInput, match="none: cannot be read"):
        files.copy(tmp_path / "none", target)
    with pytest.raises(InvalidInput, match=f"{tmp_path}: cannot be written"):
        files.copy(source, tmp_path)
    assert target.read_bytes() == source.read_bytes()


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
        InvalidInput, match="contains 'b', which tfcarve did not write: pass a separate folder"
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
