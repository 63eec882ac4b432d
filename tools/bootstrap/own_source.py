"""TensorFlow's sources from an archive or a folder of the user, in place of the archive that a release pins."""

from __future__ import annotations

import os
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from bootstrap import trees
from bootstrap.checksum import sha256_of
from bootstrap.console import BootstrapError
from bootstrap.pins import Archive, Pin
from bootstrap.unpack import members, target_path

VERSION_HEADER = "tensorflow/core/public/version.h"
# Consecutive lines of an override in release.toml. TOML has no parser in Python 3.10, which may run this program.
_OVERRIDE = re.compile(r'^path = "([^"]+)"\nreplaces = "([0-9a-f]{64})"$', re.MULTILINE)
_VERSION = re.compile(r"^#define TF_(?:MAJOR|MINOR|PATCH)_VERSION (\d+)$", re.MULTILINE)


def lay_out(pin: Pin, source: Path, sha256: str, tree: Path) -> Path:
    """Makes `tree` a folder of links to the files of an archive or of a folder.

    Args:
        pin: TensorFlow's pin.
        source: the archive, or a folder with TensorFlow's sources.
        sha256: of the archive; empty for the pinned one.
        tree: the folder to link into.

    Returns:
        A file that exists as long as the links are valid.

    Raises:
        BootstrapError: there is no such file, it has another checksum, or it has no TensorFlow in it.
    """
    if source.is_dir():
        if sha256:
            raise BootstrapError(f"{source} is a folder, which has no checksum: remove sha256")
        if not (source / VERSION_HEADER).is_file():
            raise BootstrapError(_no_tensorflow(source))
        _link(source.resolve(), tree, pin.moved)
        return source / VERSION_HEADER
    if not source.is_file():
        raise BootstrapError(f"{source}: there is no such file or folder")
    archive = Archive(source.name, _checked(pin, source, sha256), _root(source), {})
    return trees.lay_out(pin, (source, archive), tree)


def _link(folder: Path, tree: Path, moved: Mapping[str, str]) -> None:
    """Links the files of a folder, with the paths that they would have if they came from an archive."""
    for path in _files(folder):
        relative = target_path(str(path.relative_to(folder)), "", (), moved)
        if relative is not None:
            target = tree / relative
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            target.symlink_to(path)


def _files(folder: Path) -> Iterator[Path]:
    """Yields the files of a folder, without those of git, and without links, as from an archive."""
    for name, folders, files in os.walk(folder):
        folders[:] = sorted(set(folders) - {".git"})
        yield from (path for file in sorted(files) if not (path := Path(name, file)).is_symlink())


def _checked(pin: Pin, source: Path, sha256: str) -> str:
    """Returns the checksum of an archive."""
    actual = sha256_of(source)
    if sha256 and actual != sha256:
        raise BootstrapError(f"{source} has the SHA-256 {actual}, not {sha256}, as its sha256 says")
    pinned = {archive.sha256 for archive in pin.archives.values()}
    if not sha256 and actual not in pinned:
        raise BootstrapError(
            f"{source} has the SHA-256 {actual}, and that of {pin.name} {pin.version} is "
            f'{" or ".join(sorted(pinned))}: if you want this archive, add sha256 = "{actual}"'
        )
    return actual


def _root(source: Path) -> str:
    """Returns the folder in an archive that has TensorFlow's sources."""
    try:
        for name, _, _ in members(source):
            parts = PurePosixPath(name).parts
            if "/".join(parts[-4:]) == VERSION_HEADER and len(parts) <= 5:
                return "/".join(parts[:-4])
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError) as error:
        raise BootstrapError(f"{source}: not a .tar.* or .zip archive: {error}") from None
    raise BootstrapError(_no_tensorflow(source))


def _no_tensorflow(source: Path) -> str:
    return f"{source} has no {VERSION_HEADER}: it does not have TensorFlow's sources"


def overridden(release_toml: str) -> dict[str, str]:
    """Returns the checksum of each file of TensorFlow that tfcarve replaces, from the text of release.toml."""
    return dict(_OVERRIDE.findall(release_toml))


def require_release(pin: Pin, tree: Path, replaced: Mapping[str, str]) -> None:
    """Checks that a tree is of the pinned release.

    Args:
        pin: TensorFlow's pin.
        tree: as `lay_out` made it.
        replaced: from `overridden`.

    Raises:
        BootstrapError: it has another version, or changes in files that tfcarve replaces: they would have no effect.
    """
    text = (tree / VERSION_HEADER).read_text(encoding="utf-8", errors="replace")
    version = ".".join(_VERSION.findall(text))
    if version.split(".")[:2] != pin.version.split(".")[:2]:
        raise BootstrapError(
            f"{VERSION_HEADER} says TensorFlow {version or 'without a version'}, not {pin.version}: "
            "use the sources of the version that tfcarve.tensorflow names"
        )
    changed = [
        path
        for path, sha256 in sorted(replaced.items())
        if not (tree / path).is_file() or sha256_of(tree / path) != sha256
    ]
    if changed:
        raise BootstrapError(
            f"tfcarve replaces files that are not those of TensorFlow {pin.version}, so your changes "
            f"would have no effect: {', '.join(changed)}: restore them, and change tfcarve's files "
            "of these paths in third_party/tensorflow/overrides instead"
        )
