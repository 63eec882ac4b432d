"""Writes the files of a project to a folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfcarve import files
from tfcarve.app.project import Project
from tfcarve.app.workspace import Workspace, copy, locked

# Bazel's own files and links in a workspace.
_LOCK_FILE = "MODULE.bazel.lock"
_BAZEL = "bazel-"


@contextmanager
def opened(project: Project) -> Iterator[Workspace]:
    """Yields the workspace of this user, with the files of a project; other processes wait.

    It is always the same folder, so Bazel compiles only what earlier projects did not need.
    """
    folder = files.cache_directory() / "build" / "app"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder, f"process {os.getpid()}") as lock:
        write(project, folder)
        yield Workspace(folder, project.module / "bazelw", lock)


def write(project: Project, folder: Path) -> None:
    """Writes the files of a project, and removes all others except Bazel's."""
    wanted = {folder / path for path in project.texts()}
    for path, source in project.copies().items():
        for file in _files(source):
            target = folder / path / file.relative_to(source) if source.is_dir() else folder / path
            copy(file, target)
            wanted.add(target)
    for path, text in project.texts().items():
        files.write_if_changed(folder / path, text.encode())
    for file in _own_files(folder):
        if file not in wanted:
            file.unlink()


def _files(source: Path) -> list[Path]:
    if source.is_dir():
        return sorted(file for file in source.rglob("*") if file.is_file())
    return [source]


def _own_files(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.name == _LOCK_FILE or entry.name.startswith(_BAZEL):
            continue
        yield from _files(entry) if entry.is_dir() else [entry]


def replace(source: Path, target: Path) -> None:
    """Copies a folder; the target, if it exists, is there until the copy is complete."""
    partial = target.with_name(f".{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(source, partial)
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)
