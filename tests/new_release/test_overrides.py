"""Overrides of an older release, compared with a tree."""

from __future__ import annotations

import hashlib
from pathlib import Path

from new_release import overrides, tree
from new_release.overrides import Compared
from new_release.places import Places
from new_release.tree import Tree
from tfcarve.releases.release import Override

_VERSION = "#define TF_MAJOR_VERSION 2\n#define TF_MINOR_VERSION {minor}\n"
_FOLDER = "tensorflow/core/"


def _tree(root: Path, minor: int, **texts: str) -> Tree:
    version = root / "tensorflow/core/public/version.h"
    version.parent.mkdir(parents=True)
    version.write_text(_VERSION.format(minor=minor))
    for name, text in texts.items():
        (root / _FOLDER / f"{name}.cc").write_text(text)
    return tree.read(root)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_states(tmp_path: Path) -> None:
    older = _tree(tmp_path / "old", 1, same="a\n", other="a\nb\nc\n", gone="a\n")
    newer = _tree(tmp_path / "new", 2, same="a\n", other="a\nB\nc\nd\n")
    rows = [
        Override(
            f"{_FOLDER}{name}.cc", _digest((older.files[f"{_FOLDER}{name}.cc"]).read_text()), "", ""
        )
        for name in ("same", "other", "gone")
    ]
    same, other, gone = rows
    places = Places(newer)
    changed = _digest("a\nB\nc\nd\n")
    assert overrides.compared(rows, places, newer, older) == [
        Compared(same, same.path, same.replaces, overrides.UNCHANGED),
        # One line became another one, and one was added.
        Compared(other, other.path, changed, overrides.CHANGED, 3),
        Compared(gone, None),
    ]
    (without,) = overrides.compared([other], places, newer, None)
    assert without == Compared(other, other.path, changed, overrides.NOT_COMPARED)
