"""Builds in an app's workspace, as a user of tfcarve does.

The app is copied to a fixed folder in the user's cache. So Bazel reuses what it built there, and the app's own folder is
not changed. All checkouts of tfcarve share the folder: a lock gives it to one process at a time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bootstrap.cache import cache_root
from tfcarve.app.workspace import Workspace, copy, locked

_LOCAL_PATH = re.compile(r'path = "\.\.(?:/\.\.)*"')
# The files that contain the path to tfcarve.
_MODULE_FILES = ("MODULE.bazel", "WORKSPACE")


class NestedError(Exception):
    """A requirement is not met: a program, a file or an option; the message says which."""


def source_tree() -> Path:
    """The checkout of tfcarve that this program runs from."""
    bazelw = os.environ.get("TFCARVE_BAZELW")
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    root = Path(bazelw).resolve().parent if bazelw else Path(workspace or "")
    if not (root / "bazelw").is_file():
        raise NestedError("run it with ./bazelw run, which passes on where tfcarve's sources are")
    return root


def _write(target: Path, text: str) -> None:
    if not (target.is_file() and target.read_text(encoding="utf-8") == text):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def module_file(text: str, tfcarve: Path) -> str:
    """Returns an app's MODULE.bazel or WORKSPACE with an absolute path to tfcarve."""
    if not _LOCAL_PATH.search(text):
        raise NestedError('the app\'s MODULE.bazel or WORKSPACE has no `path = "../.."` to replace')
    quoted = str(tfcarve).replace("\\", "\\\\").replace('"', '\\"')
    return _LOCAL_PATH.sub(lambda _: f'path = "{quoted}"', text)


_open_here: set[Path] = set()


@contextmanager
def opened(app: Path, name: str) -> Iterator[Workspace]:
    """Yields a copy of `app`, locked against other processes.

    Raises NestedError if this process has it open, because it would wait for itself.
    """
    tfcarve = source_tree()
    folder = cache_root() / "e2e" / name
    if folder in _open_here:
        raise NestedError(f"{folder} is already open in this process")
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, f"process {os.getpid()} of {tfcarve}") as lock:
        _mirror(app, folder, tfcarve)
        _open_here.add(folder)
        try:
            yield Workspace(folder, tfcarve / "bazelw", lock)
        finally:
            _open_here.remove(folder)


def _mirror(app: Path, folder: Path, tfcarve: Path) -> None:
    present = {file.relative_to(folder) for file in _own_files(folder)}
    wanted = {file.relative_to(app) for file in _own_files(app)}
    for stale in present - wanted:
        if stale.suffix != ".pb":  # placed by `place`
            (folder / stale).unlink()
    for relative in sorted(wanted):
        if relative.name in _MODULE_FILES:
            text = (app / relative).read_text(encoding="utf-8")
            _write(folder / relative, module_file(text, tfcarve))
        else:
            copy(app / relative, folder / relative)


def _own_files(folder: Path) -> Iterator[Path]:
    """The files of a workspace, without those that Bazel creates in it."""
    for file in folder.rglob("*"):
        by_bazel = file.relative_to(folder).parts[0].startswith("bazel-")
        if file.is_file() and not by_bazel and file.name != "MODULE.bazel.lock":
            yield file
