"""SHA-256 of files."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bootstrap.console import BootstrapError


def sha256_of(path: Path) -> str:
    """Returns the SHA-256 of a file's content, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def require_sha256(path: Path, expected: str) -> None:
    """Checks a file's checksum.

    Raises:
        BootstrapError: it is wrong; has the file and both checksums.
    """
    actual = sha256_of(path)
    if actual != expected:
        raise BootstrapError(
            f"the checksum of {path.name} is wrong: expected {expected}, got {actual} ({path})"
        )
