"""Tests of BuildTree: rules by label, and the files of filegroups."""

from pathlib import Path

import pytest

from tfcarve.build_files.evaluate import BuildFileError
from tfcarve.build_files.tree import BuildTree, Label, parse_label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("x.cc", Label("here", "x.cc")),
        (":x", Label("here", "x")),
        ("//a/b:x", Label("a/b", "x")),
        ("//a/b", Label("a/b", "b")),
        ("@com_google_absl//absl/strings", None),
        ("@local_tsl//platform:env", Label("third_party/tsl/platform", "env")),
        ("@local_tsl//:srcs", Label("third_party/tsl", "srcs")),
    ],
)
def test_label(text: str, label: Label | None) -> None:
    assert parse_label(text, "here", {"local_tsl": "third_party/tsl"}) == label


@pytest.fixture
def tree(tmp_path: Path) -> BuildTree:
    _write(tmp_path, "a/BUILD", 'filegroup(name="all", srcs=glob(["**/*.cc"])+["//b:more",":all"])')
    _write(tmp_path, "a/one.cc")
    _write(tmp_path, "a/sub/two.cc")
    _write(tmp_path, "a/own/BUILD")
    _write(tmp_path, "a/own/other_package.cc")
    _write(
        tmp_path, "b/BUILD.upstream", 'filegroup(name="more", srcs=["b.cc", "gone.cc", "@x//y"])'
    )
    _write(tmp_path, "b/b.cc")
    return BuildTree(tmp_path)


def _write(root: Path, name: str, text: str = "") -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)


def test_nested_filegroups(tree: BuildTree) -> None:
    """With files of other packages, missing files and a cycle."""
    assert tree.filegroup(Label("a", "all")) == ["a/one.cc", "a/sub/two.cc", "b/b.cc"]


def test_missing_labels(tree: BuildTree) -> None:
    assert tree.filegroup(Label("nowhere", "all")) == []
    assert tree.rule(Label("nowhere", "all")) is None


def test_errors_name_the_file(tmp_path: Path) -> None:
    """Which may be BUILD.upstream, also at the root."""
    _write(tmp_path, "BUILD.upstream", "x = y")
    _write(tmp_path, "a/b/BUILD.bazel", 'filegroup(name = "x", srcs = "b.cc")')
    tree = BuildTree(tmp_path)
    with pytest.raises(BuildFileError, match="^BUILD.upstream:1: "):
        tree.rules("")
    with pytest.raises(BuildFileError, match="^a/b/BUILD.bazel:1: srcs of filegroup 'x' must be"):
        tree.filegroup(Label("a/b", "x"))


def test_file_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "BUILD").write_bytes(b"# a\n# \xff\n")
    with pytest.raises(BuildFileError, match="^BUILD:2: the file is not UTF-8$"):
        BuildTree(tmp_path).rules("")
