"""Reads and writes files; a failed write leaves no partial file."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from tfcarve.errors import InvalidInput

_HEAD_BYTES = 64


def cache_directory() -> Path:
    """Returns the cache folder, created if it does not exist.

    It is `$XDG_CACHE_HOME/tfcarve` or `~/.cache/tfcarve`; if neither is writable, a folder in the system's temporary
    folder that belongs to the user.
    """
    for base in (os.environ.get("XDG_CACHE_HOME"), os.environ.get("HOME")):
        if base:
            home = Path(base) if base == os.environ.get("XDG_CACHE_HOME") else Path(base, ".cache")
            folder = home / "tfcarve"
            with contextlib.suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                if os.access(folder, os.W_OK):
                    return folder
    folder = Path(tempfile.gettempdir(), f"tfcarve-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise InvalidInput(
            f"{folder}: belongs to another user: set XDG_CACHE_HOME to a writable folder"
        )
    return folder


def read_bytes(path: Path) -> bytes:
    """Returns the content of `path`; raises InvalidInput with the reason if it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path}: is a directory: expected a file") from None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}") from None


def write_if_changed(path: Path, data: bytes) -> bool:
    """Writes `data` to `path` unless the file has this content; returns whether it was written.

    An equal file keeps its time stamp. The write is atomic: no reader sees a partial file.
    """
    with contextlib.suppress(OSError):
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    write_pieces(path, (data,))
    return True


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Writes `pieces` to `path`, one after the other. The write is atomic, even if `pieces` raises an exception."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as stream:
            for piece in pieces:
                stream.write(piece)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(name)


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(_HEAD_BYTES)


def require_own(folder: Path, is_ours: Callable[[bytes], bool]) -> None:
    """Checks that a folder for write_directory contains only files that tfcarve wrote.

    Args:
      folder: the folder; need not exist.
      is_ours: returns, from the first bytes of a file, whether tfcarve writes such files there.

    Raises:
      InvalidInput: the folder contains something else.
    """
    try:
        for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
            if not entry.is_file() or not is_ours(_head(entry)):
                raise InvalidInput(
                    f"{folder}: contains {entry.name!r}, which tfcarve did not write: give a separate folder"
                )
    except OSError as error:
        raise InvalidInput(f"{folder}: cannot be read: {error.strerror}") from None


def write_directory(folder: Path, content: dict[str, bytes]) -> None:
    """Writes exactly the files of `content` into `folder`, after require_own; does not touch equal files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in folder.iterdir():
            if entry.name not in content:
                entry.unlink()
    except OSError as error:
        raise InvalidInput(f"{folder}: cannot be written: {error.strerror}") from None
    for name, data in sorted(content.items()):
        write_if_changed(folder / name, data)
