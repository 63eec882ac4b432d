"""Tests of listing a source tree."""

import dataclasses
import errno
import os
from pathlib import Path

import pytest
import trees
from msgspec.structs import replace
from small_release import FILES, small_release

from tfcarve.errors import InvalidInput
from tfcarve.registry import tree
from tfcarve.releases import known, tree_version
from tfcarve.releases.paths import ReleaseMismatch
from tfcarve.releases.release import Overrides

_RELEASE = known.release()


def test_sources(tmp_path: Path) -> None:
    skipped = {
        "tensorflow/lite/kernels/a.cc": "",
        "tensorflow/core/testdata/b.cc": "",
        "tensorflow/.git/c.cc": "",
        "tensorflow/core/kernels/.d.cc": "",
    }
    found = tree.load(trees.write(tmp_path, {**trees.FILES, **skipped}), _RELEASE)
    assert found.sources == (
        "tensorflow/core/framework/types.cc",
        "tensorflow/core/kernels/no_op.cc",
        "tensorflow/core/kernels/twice_op.cc",
        "tensorflow/core/ops/some_ops.cc",
    )


def _of_version(root: Path, version: str) -> Path:
    major, minor, patch = version.split(".")
    (root / "tensorflow/core/public/version.h").write_text(
        f"#define TF_MAJOR_VERSION {major}\n#define TF_MINOR_VERSION {minor}\n#define TF_PATCH_VERSION {patch}\n"
    )
    return root


def test_a_tree_of_a_known_release_that_lacks_a_path(tmp_path: Path) -> None:
    root = _of_version(trees.write(tmp_path), _RELEASE.version)
    path = _RELEASE.core.platform_sources[0]
    with pytest.raises(ReleaseMismatch, match=rf"{path} \(core\.platform_sources\)"):
        tree.load(root, _RELEASE)
    # Nothing is known of another release.
    tree.load(_of_version(root, "9.8.7"), _RELEASE)


def test_facts_of_a_known_release(tmp_path: Path) -> None:
    release = small_release()
    layout = replace(release.tree, include_prefixes=("", "tensorflow/core/framework/"))
    facts = replace(release.index, skipped=("tensorflow/core/ops",))
    changed = dataclasses.replace(
        release, tree=layout, index=facts, overrides=Overrides((), (), (), ())
    )
    files = {**trees.FILES, **FILES, "tensorflow/c/README": ""}
    root = _of_version(trees.write(tmp_path, files), release.version)
    found = tree.load(root, changed)
    assert "tensorflow/core/ops/some_ops.cc" not in found.files
    assert found.find("tensorflow/core/ops/some_ops.cc", "op.h") == "tensorflow/core/framework/op.h"
    assert found.release is changed
    # The facts are not those of another release's tree.
    other = tree.load(_of_version(root, "9.8.7"), changed)
    assert "tensorflow/core/ops/some_ops.cc" in other.files


def test_broken_links(tmp_path: Path) -> None:
    """Editors mark open files with such links."""
    before = tree.load(trees.write(tmp_path), _RELEASE)
    for name in (".#no_op.cc", "gone.cc", "gone.h"):
        (tmp_path / "tensorflow/core/kernels" / name).symlink_to("nobody@nowhere")
    (tmp_path / "tensorflow/loop").symlink_to(tmp_path / "tensorflow")
    assert tree.load(tmp_path, _RELEASE).files == before.files
    app = trees.write(tmp_path / "app", {"mine.cc": ""})
    (app / "gone.h").symlink_to("nowhere.h")
    assert len(tree.load(tmp_path, _RELEASE, [app / "mine.cc"]).files) == len(before.files) + 1


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    before = tree.load(trees.write(tmp_path), _RELEASE).files
    (tmp_path / "tensorflow/core/kernels" / os.fsdecode(b"a\xff.cc")).write_text("")
    assert tree.load(tmp_path, _RELEASE).files == before


def test_find(tmp_path: Path) -> None:
    found = tree.load(trees.write(tmp_path), _RELEASE)
    header = "tensorflow/core/framework/op.h"
    assert found.find("x.cc", header) == header
    assert found.find("tensorflow/core/framework/types.cc", "op.h") == header
    assert found.find("tensorflow/core/ops/some_ops.cc", "../framework/op.h") == header
    assert found.find("tensorflow/core/ops/some_ops.cc", "op.h") is None


def test_version(tmp_path: Path) -> None:
    assert tree_version.version(trees.write(tmp_path)) == "9.8.7-rc1"
    (tmp_path / "tensorflow/core/public/version.h").write_text(
        "#define TF_GRAPH_DEF_VERSION 2314\n"
    )
    assert tree_version.version(tmp_path) == "unknown"
    (tmp_path / "tensorflow/tf_version.bzl").write_text('# "1.0"\nTF_VERSION = "2.21.0"\n')
    assert tree_version.version(tmp_path) == "2.21.0"
    (tmp_path / "tensorflow/core/public/version.h").unlink()
    assert tree_version.version(tmp_path) == "2.21.0"


def test_custom_op(tmp_path: Path) -> None:
    root = trees.write(tmp_path / "tree")
    app = trees.write(tmp_path / "app", {"ops/mine.cc": "", "ops/mine.h": "", "ops/other.cc": ""})
    found = tree.load(root, _RELEASE, [app / "ops/mine.cc"])
    inside = (app / "ops/mine.cc").as_posix().lstrip("/")
    assert found.sources[-1] == inside
    assert found.custom == {inside: (app / "ops/mine.cc").as_posix()}
    assert found.find(inside, "mine.h") == inside.replace(".cc", ".h")


def test_not_a_tree(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidInput,
        match="not a TensorFlow source tree.*pass the folder that contains tensorflow/",
    ):
        tree.load(tmp_path, _RELEASE)


def test_an_unreadable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(place: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", place)

    trees.write(tmp_path)
    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InvalidInput, match="tensorflow: cannot be read: Permission denied"):
        tree.load(tmp_path, _RELEASE)


def test_missing_custom_op(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="gone.cc: no such file"):
        tree.load(trees.write(tmp_path), _RELEASE, [tmp_path / "gone.cc"])


def test_a_deleted_file(tmp_path: Path) -> None:
    found = tree.load(trees.write(tmp_path), _RELEASE)
    (tmp_path / "tensorflow/core/framework/op.h").unlink()
    with pytest.raises(InvalidInput, match="op.h: cannot be read: No such file"):
        found.read("tensorflow/core/framework/op.h")
