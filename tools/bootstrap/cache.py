"""The user's cache directory, locks, and folders and files that are created atomically."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

# The file in a folder of the cache that is complete.
MARKER = ".complete"


def cache_root() -> Path:
    """Returns tfcarve's cache directory: ${XDG_CACHE_HOME:-~/.cache}/tfcarve.

    If HOME is not set, as in some tests, the home directory comes from the password database.
    """
    home = os.environ.get("HOME") or pwd.getpwuid(os.getuid()).pw_dir
    return Path(os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache") / "tfcarve"


@contextlib.contextmanager
def locked(target: Path) -> Iterator[None]:
    """Holds the lock file `target`.lock; other processes wait for it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{target}.lock", "a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def scratch_folder(target: Path) -> Iterator[Path]:
    """A temporary folder on the same file system as `target`, removed at the end."""
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def built_in_place(target: Path) -> Iterator[bool]:
    """Creates a folder once that can't be moved, because its files contain its absolute path.

    Yields True if the caller must fill `target`, False if it is complete. An incomplete folder
    of an earlier failure is removed first.
    """
    marker = target / MARKER
    if marker.exists():
        yield False
        return
    with locked(target):
        if marker.exists():
            yield False
            return
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        try:
            yield True
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
        marker.touch()


def write_atomically(path: Path, text: str) -> None:
    """Writes a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as handle:
        handle.write(text)
    os.replace(handle.name, path)
