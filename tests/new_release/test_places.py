"""Paths of an older release in a tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from new_release import tree
from new_release.places import Place, Places
from new_release.tree import Tree
from tfcarve.errors import InvalidInput

_VERSION = """\
#define TF_MAJOR_VERSION 2
#define TF_MINOR_VERSION 99
#define TF_PATCH_VERSION 1
#define TF_VERSION_SUFFIX ""
"""
_TSL = "third_party/xla/third_party/tsl/tsl"


def _write(root: Path, *files: str) -> Tree:
    for file in ("tensorflow/core/public/version.h", *files):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(_VERSION)
    return tree.read(root)


@pytest.mark.parametrize(
    ("files", "old", "new"),
    [
        (("tensorflow/tsl/a.cc",), "tensorflow/tsl/a.cc", "tensorflow/tsl/a.cc"),
        ((f"{_TSL}/a.cc", "third_party/xla/xla/b.cc"), "tensorflow/tsl/a.cc", "tsl/a.cc"),
        ((f"{_TSL}/a.cc", "third_party/xla/xla/b.cc"), "tensorflow/tsl", "tsl"),
        ((f"{_TSL}/a.cc", "third_party/xla/xla/b.cc"), "tensorflow/compiler/xla/b.cc", "xla/b.cc"),
        (("third_party/xla/xla/tsl/a.cc",), "tsl/a.cc", "xla/tsl/a.cc"),
        # Also from a newer release to an older one.
        (("tensorflow/tsl/a.cc",), "tsl/a.cc", "tensorflow/tsl/a.cc"),
    ],
)
def test_libraries_move(files: tuple[str, ...], old: str, new: str, tmp_path: Path) -> None:
    assert Places(_write(tmp_path, *files)).of(old) == Place(old, new)


def test_other_files_do_not_move(tmp_path: Path) -> None:
    places = Places(_write(tmp_path, "tensorflow/core/new/op.cc"))
    assert places.of("tensorflow/core/op.cc") == Place(
        "tensorflow/core/op.cc", None, ("tensorflow/core/new/op.cc",)
    )
    assert places.of("tensorflow/core/other.cc") == Place("tensorflow/core/other.cc", None)


def test_name_and_layout(tmp_path: Path) -> None:
    found = _write(tmp_path, f"{_TSL}/a.cc", "third_party/xla/xla/b.cc")
    assert (found.version, found.name) == ("2.99.1", "2.99")
    assert found.moved == {_TSL: "tsl", "third_party/xla/xla": "xla"}


def test_folder_of_something_else(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="not a TensorFlow source tree"):
        tree.read(tmp_path)
