"""What an index run leaves behind for the next one, in the user's cache directory.

Four kinds of files, each of which may be deleted at any time:
  index/<key>.json     a whole index, keyed by the content of all that went in
  seen/<key>.json      the index that belongs to a tree's time stamps and sizes
  records/<key>.json   raw records by the content hash of each source's closure
  memo/<key>.json      what was worked out for each file, by the digest of its text
"""

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from tfcarve import files
from tfcarve.registry.records import RawConstraint, RawGradient, RawKernel, RawOp, Records


def digest(parts: Iterable[str]) -> str:
    """Returns the SHA-256 of `parts`, each one told from the next."""
    text = "".join(f"{part}\0" for part in parts)
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def code_files() -> list[Path]:
    """Returns the modules that the indexer is made of, sorted."""
    package = Path(__file__).parents[1]
    folders = (package, package / "build_files", package / "registry")
    return sorted(p for folder in folders for p in folder.glob("*.py"))


@cache
def code_digest() -> str:
    """Returns a digest of the indexer's own code: another indexer, another cache."""
    return digest(p.read_text(encoding="utf-8") for p in code_files())


def folder(kind: str) -> Path:
    """Returns (and makes) the cache folder for `kind`."""
    path = files.cache_directory() / "index-cache" / kind
    path.mkdir(parents=True, exist_ok=True)
    return path


def read(kind: str, key: str) -> bytes | None:
    """Returns what is kept under `key`, or None."""
    with contextlib.suppress(OSError):
        return (folder(kind) / f"{key}.json").read_bytes()
    return None


def write(kind: str, key: str, data: bytes) -> None:
    """Keeps `data` under `key`."""
    files.write_if_changed(folder(kind) / f"{key}.json", data)


def _row(value: Any) -> list[Any]:
    return [getattr(value, f.name) for f in fields(value)]


def _tuples(row: list[Any]) -> list[Any]:
    return [tuple(v) if isinstance(v, list) else v for v in row]


def records_to_json(records: Records) -> list[Any]:
    """Returns `records` as JSON's values."""
    kernels = []
    for kernel in records.kernels:
        row = _row(kernel)
        row[6] = [_row(c) for c in kernel.constraints]
        kernels.append(row)
    return [kernels, [_row(o) for o in records.ops], [_row(g) for g in records.gradients]]


def records_from_json(rows: list[Any]) -> Records:
    """Returns what records_to_json was given."""
    kernels, ops, gradients = rows
    made = []
    for row in kernels:
        row = [*row[:6], [RawConstraint(*_tuples(c)) for c in row[6]], *row[7:]]
        made.append(RawKernel(*_tuples(row)))
    return Records(
        tuple(made),
        tuple(RawOp(*_tuples(o)) for o in ops),
        tuple(RawGradient(*g) for g in gradients),
    )


def load_records(key: str) -> dict[str, list[Any]]:
    """Returns the kept records, closure hash to rows; nothing where none are kept or they are broken."""
    data = read("records", key)
    if data is not None:
        with contextlib.suppress(ValueError):
            kept = json.loads(data)
            if isinstance(kept, dict):
                return kept
    return {}


def save_records(key: str, rows: Mapping[str, list[Any]]) -> None:
    """Keeps `rows` in the place of what was kept under `key`."""
    write("records", key, json.dumps(rows, separators=(",", ":"), sort_keys=True).encode())
