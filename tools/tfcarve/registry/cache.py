"""Files that one index run leaves for the next, in the user's cache directory.

There are four kinds. Each file may be deleted at any time:
  index/<key>.json     an index, keyed by the content of everything that it depends on
  seen/<key>.json      the key of the index for a tree with certain time stamps and sizes
  records/<key>.json   raw records by the digest of everything that the preprocessor reads for each source
  memo/<key>.json      values computed for each file, keyed by the digest of its text

If TFCARVE_INDEX_CACHE is "off", no file is read or written: Bazel's actions declare all that they read.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tfcarve import files
from tfcarve.releases import known


def digest(parts: Iterable[str]) -> str:
    """Returns the SHA-256 of `parts`, each terminated by a zero byte."""
    text = "".join(f"{part}\0" for part in parts)
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def code_files() -> list[Path]:
    """Returns the modules of the indexer, sorted."""
    package = Path(__file__).parents[1]
    folders = (package, package / "build_files", package / "registry", package / "releases")
    return sorted(p for folder in folders for p in folder.glob("*.py"))


@cache
def code_digest() -> str:
    """Returns a digest of the indexer's code and of the releases' data: if they change, no old cache is used."""
    return digest(p.read_text(encoding="utf-8") for p in (*code_files(), *known.data_files()))


def folder(kind: str) -> Path:
    """Returns the cache folder for `kind`, created if it does not exist."""
    path = files.cache_directory() / "index-cache" / kind
    path.mkdir(parents=True, exist_ok=True)
    return path


def _is_off() -> bool:
    return os.environ.get("TFCARVE_INDEX_CACHE") == "off"


def read(kind: str, key: str) -> bytes | None:
    """Returns the data cached under `key`, or None."""
    if _is_off():
        return None
    with contextlib.suppress(OSError):
        return (folder(kind) / f"{key}.json").read_bytes()
    return None


def write(kind: str, key: str, data: bytes) -> None:
    """Caches `data` under `key`."""
    if _is_off():
        return
    files.write_if_changed(folder(kind) / f"{key}.json", data)
