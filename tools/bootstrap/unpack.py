"""Unpacks a source archive as one package of a Bazel repository."""

from __future__ import annotations

import functools
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from bootstrap.console import BootstrapError

# Upstream's BUILD files would split the package. They are renamed, because tools read them.
_RENAMED = {"BUILD": "BUILD.upstream", "BUILD.bazel": "BUILD.bazel.upstream"}
_DROPPED = {"WORKSPACE", "WORKSPACE.bazel", "WORKSPACE.bzlmod", "MODULE.bazel", "REPO.bazel"}


def target_path(
    member: str, strip_prefix: str, only: Sequence[str], moved: Mapping[str, str]
) -> str | None:
    """Returns the path of an archive member in the tree; None if it is not unpacked.

    Args:
        member: its name in the archive.
        strip_prefix: the folder that becomes the root.
        only: the folders below the root to unpack; empty for all.
        moved: folders that get another place in the tree, by their place below the root.

    Raises:
        BootstrapError: the path is outside of the tree.
    """
    parts = PurePosixPath(member).parts
    if ".." in parts or member.startswith("/"):
        raise BootstrapError(f"the archive member {member} is outside of its tree")
    prefix = PurePosixPath(strip_prefix).parts
    if parts[: len(prefix)] != prefix or len(parts) == len(prefix):
        return None
    rest = parts[len(prefix) :]
    if only and not any(rest[: len(p)] == p for p in (PurePosixPath(o).parts for o in only)):
        return None
    if rest[-1] in _DROPPED:
        return None
    path = "/".join((*rest[:-1], _RENAMED.get(rest[-1], rest[-1])))
    for folder, place in moved.items():
        if path.startswith(f"{folder}/"):
            return place + path.removeprefix(folder)
    return path


def unpack(
    archive: Path,
    tree: Path,
    strip_prefix: str,
    only: Sequence[str] = (),
    moved: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Unpacks the regular files of a .tar.* or .zip/.whl.

    Returns:
        The number of files.

    Raises:
        BootstrapError: the archive has nothing under `strip_prefix`, or a member is outside of the
            tree.
    """
    folders: set[Path] = set()
    count = 0
    for member, data, executable in members(archive):
        relative = target_path(member, strip_prefix, only, moved)
        if relative is None:
            continue
        path = tree / relative
        if path.parent not in folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            folders.add(path.parent)
        path.write_bytes(data())
        if executable:
            path.chmod(0o755)
        count += 1
    if not count:
        raise BootstrapError(f"{archive.name} has nothing under {strip_prefix}")
    return count


def members(archive: Path) -> Iterator[tuple[str, Callable[[], bytes], bool]]:
    """Yields the name, a function that reads the content, and whether it is executable, of each file."""
    if archive.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(archive) as content:
            for entry in content.infolist():
                if not entry.is_dir():
                    mode = entry.external_attr >> 16
                    yield entry.filename, functools.partial(content.read, entry), bool(mode & 0o100)
        return
    with tarfile.open(archive, "r|*") as content:
        for member in content:
            # Links are skipped: no source needs them, and a stream can't be searched for their targets.
            if member.isreg():
                handle = content.extractfile(member)
                assert handle is not None
                yield member.name, handle.read, bool(member.mode & 0o100)
