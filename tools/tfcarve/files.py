"""Reading and writing files so that a failure leaves nothing half done."""

import contextlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from tfcarve import json_form
from tfcarve.errors import InvalidInput

_HEAD = 64
# How the escapes of halves of characters begin.
_HALVES = re.compile(rb"\\u[dD]")


def cache_directory() -> Path:
    """Returns (and makes) the folder for what can be made again.

    `$XDG_CACHE_HOME/tfcarve`, `~/.cache/tfcarve`, or, where neither can be
    written to, a folder of the user's own under the system's temporary one.
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
            f"{folder}: belongs to another user: set XDG_CACHE_HOME to a folder of yours"
        )
    return folder


def read_bytes(path: Path) -> bytes:
    """Returns the content of `path`; raises InvalidInput with the reason where it can't be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InvalidInput(f"{path}: is a directory: give a file") from None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}") from None


def whole_characters(data: bytes, where: str) -> bytes:
    """Returns JSON as it is; raises InvalidInput, with `where`, the file's name, where it holds half of a character.

    JSON can say that by an escape (RFC 8259, section 8.2); no text in UTF-8 can.
    """
    if _HALVES.search(data):
        # Two halves make a whole. What is no JSON is for its reader to tell.
        with contextlib.suppress(ValueError, RecursionError):
            text = json.dumps(json_form.loads(data), ensure_ascii=False)
            try:
                text.encode()
            except UnicodeEncodeError as error:
                half = ord(text[error.start])
                raise InvalidInput(f"{where}: \\u{half:04x} is half of a character") from None
    return data


def read_json(path: Path) -> bytes:
    """Returns the content of a JSON file; raises InvalidInput as read_bytes and whole_characters do."""
    return whole_characters(read_bytes(path), str(path))


def write_if_changed(path: Path, data: bytes) -> bool:
    """Makes `path` hold `data`; returns whether that changed it.

    An equal file keeps its time stamp. The new content appears under a
    temporary name first, so nobody ever sees a part of it.
    """
    with contextlib.suppress(OSError):
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    write_pieces(path, (data,))
    return True


def write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    """Makes `path` hold `pieces`, one after the other; nobody ever sees a part of it, whatever `pieces` raises."""
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
        return stream.read(_HEAD)


def require_own(folder: Path, is_ours: Callable[[bytes], bool]) -> None:
    """Makes sure that a folder for write_directory holds nothing of anybody else.

    Args:
      folder: may be there or not.
      is_ours: says of the first bytes of a file whether tfcarve writes such files there.
    Raises InvalidInput where it holds something else.
    """
    try:
        for entry in sorted(folder.iterdir()) if folder.is_dir() else ():
            if not entry.is_file() or not is_ours(_head(entry)):
                raise InvalidInput(
                    f"{folder}: holds {entry.name!r}, which tfcarve did not write there: give a folder of its own"
                )
    except OSError as error:
        raise InvalidInput(f"{folder}: cannot be read: {error.strerror}") from None


def write_directory(folder: Path, content: dict[str, bytes]) -> None:
    """Makes `folder`, which require_own allowed, hold exactly the files of `content`, touching only what differs."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in folder.iterdir():
            if entry.name not in content:
                entry.unlink()
    except OSError as error:
        raise InvalidInput(f"{folder}: cannot be written: {error.strerror}") from None
    for name, data in sorted(content.items()):
        write_if_changed(folder / name, data)
