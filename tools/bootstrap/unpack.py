"""Unpacks a source archive, laid out as a Bazel repository of ours."""

from __future__ import annotations

import functools
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from bootstrap.console import BootstrapError

# Upstream's packages would be borders inside our one package; the text stays readable.
_RENAMED = {"BUILD": "BUILD.upstream", "BUILD.bazel": "BUILD.bazel.upstream"}
_DROPPED = {"WORKSPACE", "WORKSPACE.bazel", "WORKSPACE.bzlmod", "MODULE.bazel", "REPO.bazel"}


def target_path(member: str, strip_prefix: str, only: Sequence[str]) -> str | None:
    """Where a member of an archive goes, relative to the tree; None where it is left out.

    Args:
        member: name in the archive.
        strip_prefix: folder that becomes the root.
        only: where not empty, the folders below it that are wanted.

    Raises:
        BootstrapError: the name leads out of the tree.
    """
    parts = PurePosixPath(member).parts
    if ".." in parts or member.startswith("/"):
        raise BootstrapError(f"archive member leads out of its tree: {member}")
    prefix = PurePosixPath(strip_prefix).parts
    if parts[: len(prefix)] != prefix or len(parts) == len(prefix):
        return None
    rest = parts[len(prefix) :]
    if only and not any(rest[: len(p)] == p for p in (PurePosixPath(o).parts for o in only)):
        return None
    if rest[-1] in _DROPPED:
        return None
    return "/".join((*rest[:-1], _RENAMED.get(rest[-1], rest[-1])))


def unpack(archive: Path, tree: Path, strip_prefix: str, only: Sequence[str] = ()) -> int:
    """Unpacks the regular files of a .tar.* or .zip/.whl.

    Returns:
        How many files were written.

    Raises:
        BootstrapError: the archive holds nothing under `strip_prefix`, or a member leads out.
    """
    made: set[Path] = set()
    count = 0
    for member, data, executable in _members(archive):
        relative = target_path(member, strip_prefix, only)
        if relative is None:
            continue
        path = tree / relative
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        path.write_bytes(data())
        if executable:
            path.chmod(0o755)
        count += 1
    if not count:
        raise BootstrapError(f"{archive.name} holds nothing under {strip_prefix}")
    return count


def _members(archive: Path) -> Iterator[tuple[str, Callable[[], bytes], bool]]:
    """Name, reader of the content, and whether it is executable, of each regular file."""
    if archive.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(archive) as content:
            for entry in content.infolist():
                if not entry.is_dir():
                    mode = entry.external_attr >> 16
                    yield entry.filename, functools.partial(content.read, entry), bool(mode & 0o100)
        return
    with tarfile.open(archive, "r|*") as content:
        for member in content:
            # A link would have to be looked up in a stream; no source here needs one.
            if member.isreg():
                handle = content.extractfile(member)
                assert handle is not None
                yield member.name, handle.read, bool(member.mode & 0o100)
