"""Tests of hashing model files, directly and in the background."""

import hashlib
import mmap
import sys
import threading
import time
from pathlib import Path

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.models import hashing
from tfcarve.models.hashing import BackgroundHashes, sha256


def _file(path: Path, pages: float) -> Path:
    path.write_bytes(bytes(range(251)) * int(pages * mmap.PAGESIZE / 251))
    return path


def _expected(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("pages", [0, 0.5, 1, 2, 7.3])
def test_the_whole_file_is_hashed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: float
) -> None:
    monkeypatch.setattr(hashing, "_WINDOW", mmap.PAGESIZE)
    path = _file(tmp_path / "m.pb", pages)
    assert sha256(path) == _expected(path)


def test_files_ahead(tmp_path: Path) -> None:
    files = [_file(tmp_path / f"{n}.pb", n) for n in range(4)]
    with BackgroundHashes([*files, files[0]]) as hashes:
        assert [hashes.sha256(file) for file in reversed(files)] == [
            _expected(file) for file in reversed(files)
        ]
        later = _file(tmp_path / "later.pb", 2)
        assert hashes.sha256(later) == _expected(later)


def test_errors_are_raised_when_the_hash_is_requested(tmp_path: Path) -> None:
    existing = _file(tmp_path / "m.pb", 1)
    with BackgroundHashes([tmp_path / "none.pb", tmp_path, existing]) as hashes:
        assert hashes.sha256(existing) == _expected(existing)
        with pytest.raises(InvalidInput, match=r"none\.pb: cannot be read: No such file"):
            hashes.sha256(tmp_path / "none.pb")
        with pytest.raises(InvalidInput, match="cannot be read: Is a directory"):
            hashes.sha256(tmp_path)


def test_file_that_can_no_longer_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(mmap, "mmap", failing)
    path = _file(tmp_path / "m.pb", 1)
    with (
        BackgroundHashes([path]) as hashes,
        pytest.raises(InvalidInput, match="cannot be read: Input/output"),
    ):
        hashes.sha256(path)


def test_the_thread_ends_with_the_block(tmp_path: Path) -> None:
    path = tmp_path / "long.pb"
    with path.open("wb") as stream:
        stream.truncate(20_000_000_000)
    start, interval, threads = time.monotonic(), sys.getswitchinterval(), threading.active_count()
    with pytest.raises(InvalidInput, match="not a model"), BackgroundHashes([path]):
        assert threading.active_count() == threads + 1
        raise InvalidInput("not a model")
    assert threading.active_count() == threads
    assert sys.getswitchinterval() == interval
    assert time.monotonic() - start < 10  # hashing the whole file takes a minute
