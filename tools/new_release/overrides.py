"""Overrides of an older release, compared with the files of a tree that they would replace."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from new_release.places import Places
from new_release.tree import Tree
from tfcarve.releases.release import Override

UNCHANGED, CHANGED, NOT_COMPARED, ABSENT = "unchanged", "changed", "not compared", "absent"


@dataclass(frozen=True)
class Compared:
    """An override and the file that it would replace.

    Attributes:
      override: of the older release.
      path: of the file in the tree; None: the tree does not have it.
      digest: SHA-256 of the file.
      state: UNCHANGED: the override was written for this content; CHANGED; NOT_COMPARED: changed, and the older release's tree is
        not known; ABSENT.
      lines: if CHANGED, how many lines were removed or added.
    """

    override: Override
    path: str | None
    digest: str = ""
    state: str = ABSENT
    lines: int = 0


def compared(
    overrides: Iterable[Override], places: Places, tree: Tree, older: Tree | None
) -> list[Compared]:
    """Compares overrides with a tree.

    Args:
      overrides: of the older release.
      places: of its paths in the tree.
      tree: the new release's.
      older: the older release's tree, to count changed lines.
    """
    return [_compared(one, places.of(one.path).new, tree, older) for one in overrides]


def _compared(override: Override, path: str | None, tree: Tree, older: Tree | None) -> Compared:
    if path is None:
        return Compared(override, None)
    data = tree.files[path].read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest == override.replaces:
        return Compared(override, path, digest, UNCHANGED)
    before = older.files.get(override.path) if older else None
    if before is None:
        return Compared(override, path, digest, NOT_COMPARED)
    return Compared(override, path, digest, CHANGED, _changed_lines(before, data))


def _changed_lines(before: Path, after: bytes) -> int:
    old = before.read_text(encoding="utf-8", errors="replace").splitlines()
    new = after.decode(errors="replace").splitlines()
    # Two lines of each difference name the files.
    changes = list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]
    return sum(line.startswith(("+", "-")) for line in changes)
