"""Reads and writes files; a failed write leaves no partial file."""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from tfcarve.errors import InvalidInput

STANDARD_OUTPUT = Path("/dev/stdout")

_HEAD_BYTES = 64
# Names of open files of this process. Where one is a regular file, it must be written at its position, not replaced.
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_STREAMS = {str(STANDARD_OUTPUT): 1, "/dev/stderr": 2}
# As many as Linux follows.
_MAX_LINKS = 40
_COPIED_BYTES = 1 << 20


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
        is_same_size = path.is_file() and path.stat().st_size == len(data)
        if is_same_size and _descriptor(path) is None and path.read_bytes() == data:
            return False
    write_pieces(path, (data,))
    return True


def write_pieces(path: Path, pieces: Iterable[bytes]) -> int:
    """Writes `pieces` to `path`, one after the other; returns their number of bytes.

    The write is atomic, even if `pieces` raises an exception. A symbolic link stays, and the file that it names is written.
    Pipes, devices and open files of this process (`/dev/stdout`) are written once all pieces exist.

    Raises:
      InvalidInput: the file cannot be written.
      BrokenPipeError: it is standard output, which nothing reads any more.
    """
    descriptor = _descriptor(path)
    try:
        if descriptor is not None or (path.exists() and not path.is_file() and not path.is_dir()):
            return _write_through(path if descriptor is None else os.dup(descriptor), pieces)
        return _replace(Path(os.path.realpath(path)), pieces)
    except OSError as error:
        if isinstance(error, BrokenPipeError) and is_standard_output(path):
            raise
        raise InvalidInput(f"{path}: cannot be written: {error.strerror}") from None


def copy(source: Path, target: Path) -> None:
    """Writes the content of `source` to `target`, as write_pieces does; raises InvalidInput if one cannot be opened."""
    try:
        with source.open("rb") as stream:
            write_pieces(target, iter(lambda: stream.read(_COPIED_BYTES), b""))
    except OSError as error:
        raise InvalidInput(f"{source}: cannot be read: {error.strerror}") from None


def is_standard_output(path: Path) -> bool:
    """Returns whether `path` names this process's standard output, also through symbolic links."""
    return _descriptor(path) == _STREAMS[str(STANDARD_OUTPUT)]


def _descriptor(path: Path) -> int | None:
    """Returns the number of the open file that a path names, or None."""
    name = os.path.abspath(path)
    for _ in range(_MAX_LINKS):
        number = _DESCRIPTOR.fullmatch(name)
        if number or name in _STREAMS:
            return int(number[1]) if number else _STREAMS[name]
        if not os.path.islink(name):
            return None
        name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
    return None


def _write_through(place: Path | int, pieces: Iterable[bytes]) -> int:
    with tempfile.TemporaryFile() as spooled:
        spooled.writelines(pieces)
        size = spooled.tell()
        spooled.seek(0)
        with open(place, "wb") as stream:
            shutil.copyfileobj(spooled, stream)
    return size


def _replace(path: Path, pieces: Iterable[bytes]) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(pieces)
            size = stream.tell()
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
        return size
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
                    f"{folder}: contains {entry.name!r}, which tfcarve did not write: pass a separate folder"
                )
    except OSError as error:
        raise InvalidInput(f"{folder}: cannot be read: {error.strerror}") from None


def files_below(folder: Path) -> frozenset[str]:
    """Returns the paths of all files in a folder and its subfolders, relative to it; none if it does not exist."""
    return frozenset(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def write_tree(folder: Path, content: Mapping[str, bytes]) -> None:
    """Writes exactly the files of `content`, by their relative paths, and removes all others; does not touch equal files.

    The caller checks first that tfcarve wrote the folder.
    """
    for path in files_below(folder) - content.keys():
        (folder / path).unlink()
    for path, data in content.items():
        write_if_changed(folder / path, data)


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
