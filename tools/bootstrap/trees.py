"""The unpacked archives of sources, once for each user, and links to them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from bootstrap.cache import MARKER, built_in_place, cache_root
from bootstrap.pins import Archive, Pin
from bootstrap.unpack import unpack

Found = tuple[Path, Archive]
# What tfcarve_source.json says.
_FACTS = ("name", "version", "archive", "sha256")


def unpacked(pin: Pin, found: Found) -> Path:
    """Returns the folder in the user's cache with the content of an archive, which all workspaces share.

    Raises:
        BootstrapError: the archive's content is not as expected.
    """
    path, archive = found
    # Another unpack.py may make another tree.
    code = hashlib.sha256(Path(unpack.__code__.co_filename).read_bytes()).hexdigest()
    moved = json.dumps(pin.moved, sort_keys=True)
    parts = (archive.sha256, archive.strip_prefix, *pin.only, moved, code, *_FACTS)
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    folder = cache_root() / "trees" / f"{pin.name}-{key}"
    with built_in_place(folder) as missing:
        if missing:
            unpack(path, folder, archive.strip_prefix, pin.only, pin.moved)
            values = (pin.name, pin.version, archive.file, archive.sha256)
            text = json.dumps(dict(zip(_FACTS, values, strict=True)), sort_keys=True) + "\n"
            (folder / "tfcarve_source.json").write_text(text)
    return folder


def lay_out(pin: Pin, found: Found, tree: Path) -> Path:
    """Makes `tree` a folder of links to what an archive contains.

    Returns:
        A file in the user's cache that exists as long as the links are valid.

    Raises:
        BootstrapError: the archive's content is not as expected.
    """
    folder = unpacked(pin, found)
    tree.mkdir(parents=True, exist_ok=True)
    for entry in folder.iterdir():
        if entry.name != MARKER:
            (tree / entry.name).unlink(missing_ok=True)
            (tree / entry.name).symlink_to(entry)
    return folder / MARKER
