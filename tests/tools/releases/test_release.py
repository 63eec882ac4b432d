"""Releases as data: what release.toml must be, and what it says of the pinned tree."""

import hashlib
import os
import re
import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest
import trees

from bootstrap import own_source
from tfcarve.build_files.core import core_of
from tfcarve.build_files.core_bzl import core_bzl
from tfcarve.emit import hot
from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.releases.paths import check_paths
from tfcarve.releases.release import Release, read
from tfcarve.runtime_sources import optional_sources
from tfcarve.selection import runtime_rules

# The files themselves, not their links in the runfiles.
_REPOSITORY = Path(__file__).resolve().parents[3]
_RELEASE = known.release()
_VERSION = f'version = "{_RELEASE.version}"'


@pytest.fixture
def release() -> Release:
    """The release whose tree is in the runfiles."""
    return known.release(os.environ.get("TESTED_RELEASE", ""))


@pytest.fixture
def tree(release: Release) -> Path:
    """The whole tree of the release, protos too: not only what is in the runfiles."""
    return (
        (trees.tensorflow(release.version) / "tensorflow/core/public/version.h")
        .resolve()
        .parents[3]
    )


def _copy(folder: Path) -> Path:
    place = folder / _RELEASE.name
    place.mkdir()
    shutil.copy(_RELEASE.file("release.toml"), place)
    return place


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (_VERSION, 'version = "1.99.0"', f"'1.99.0' is not of release {_RELEASE.name}"),
        (_VERSION, "version = 2", r"Expected `str`, got `int` - at `\$.version`"),
        ("[core]", "[core]\nextra = 1", "unknown field `extra`"),
        ("[[overrides.core]]", "[[overrides.core]]\ndrops = []", "unknown field `drops`"),
        (
            "[[overrides.headers]]",
            "[[overrides.headers]]\nunneeded = []",
            "unknown field `unneeded`",
        ),
        ('include_prefixes = [""]', "", "missing required field `include_prefixes`"),
        ("[core]", "[core", "."),
    ],
)
def test_data_that_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    place = _copy(tmp_path)
    file = place / "release.toml"
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(InvalidInput, match=message) as caught:
        read(place)
    assert str(file) in str(caught.value)


def test_the_copy_reads(tmp_path: Path) -> None:
    assert read(_copy(tmp_path)).defines == _RELEASE.defines


def test_no_data(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        read(tmp_path)


def test_a_release_that_is_not_known() -> None:
    with pytest.raises(InvalidInput, match=r"TensorFlow 1\.99 is not .* known releases: "):
        known.release("1.99")


@pytest.mark.parametrize(
    ("version", "is_built"),
    [
        ("1.99.0", False),
        (f"{_RELEASE.name}.99", True),
        (f"{_RELEASE.name}", True),
        ("unknown", False),
    ],
)
def test_the_release_of_a_version(version: str, is_built: bool) -> None:
    assert known.for_version(version) is _RELEASE
    assert _RELEASE.is_of(version) == is_built


def test_starlark_knows_the_same_releases() -> None:
    text = (known.folder() / "releases.bzl").read_text()
    values: dict[str, object] = {"visibility": lambda _: None}
    exec(text, values)
    assert values["RELEASES"] == known.names()
    assert values["DEFAULT_RELEASE"] == known.default_name()


def test_overrides_are_the_files_there_are(release: Release, tree: Path) -> None:
    """Each override is a file, each file that has TensorFlow's name is an override, each names a test."""
    overrides = release.overrides
    kinds = {"core": overrides.core, "kernels": overrides.kernels, "headers": overrides.headers}
    for kind, listed in kinds.items():
        shared = _REPOSITORY / "third_party/tensorflow/overrides" / kind
        own = _REPOSITORY / "third_party/tensorflow/releases" / release.name / "overrides" / kind
        for folder, is_own in ((shared, False), (own, True)):
            files = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()}
            replaced = {o.path for o in listed if o.own == is_own}
            assert replaced == {f for f in files if (tree / f).is_file()}
        for override in listed:
            assert override.why
            assert (_REPOSITORY / override.test).is_file(), override.test


def test_added_kernels_are_files_that_tensorflow_does_not_have(
    release: Release, tree: Path
) -> None:
    assert release.added_kernels
    for path, file in release.added_kernels.items():
        assert file.is_file()
        assert not (tree / path).exists()
    for added in release.overrides.added:
        assert added.why
        assert (_REPOSITORY / added.test).is_file(), added.test


def test_own_sources_are_compared_with_all_overrides(release: Release) -> None:
    """The bootstrap reads release.toml without a parser of TOML."""
    expected = {override.path: override.replaces for override in release.overrides.replacing}
    assert (
        own_source.overridden(release.file("release.toml").read_text(encoding="utf-8")) == expected
    )


def test_overrides_replace_the_files_that_were_reviewed(release: Release, tree: Path) -> None:
    for override in release.overrides.replacing:
        digest = hashlib.sha256((tree / override.path).read_bytes()).hexdigest()
        assert digest == override.replaces, f"{override.path}: review the override, then update"


def test_all_sources_include_the_headers(release: Release) -> None:
    """The header that precedes all sources names them."""
    text = (_REPOSITORY / "tools/runtime/shims/tensorflow_headers.h").read_text(encoding="utf-8")
    included = re.findall(r"^#include <(tensorflow/.+)>$", text, re.MULTILINE)
    assert included == [override.path for override in release.overrides.headers]


def test_all_paths_are_in_the_tree(release: Release, tree: Path) -> None:
    check_paths(tree, release)
    compiled = {path for rule in runtime_rules.load(release) for path in rule.compiles}
    assert {path for path in compiled if not (tree / path).is_file()} == set()


def test_paths_are_in_what_builds_give_the_index(release: Release) -> None:
    """The files of the repository's `sources`, without protos."""
    check_paths(trees.tensorflow(release.version), release, protos=False)


def test_generated_headers(release: Release) -> None:
    header = release.generated_headers["tensorflow/core/framework/registration/options.h"]
    assert "#define TF_OPTION_REGISTRATION_V2() 0\n" in header


def test_patterns_of_hot_sources_match(release: Release, tree: Path) -> None:
    sources = core_of(tree, release).unit_sources
    for group in hot.groups(release):
        for pattern in group.sources:
            assert any(fnmatch(source, pattern) for source in sources), pattern


def test_core_bzl_is_that_of_the_tree(release: Release, tree: Path) -> None:
    text = core_bzl(release, core_of(tree, release), optional_sources.read(release))
    assert text == release.file("core.bzl").read_text(), (
        f"run ./bazelw run //third_party/tensorflow/releases/{release.name}:update and review the difference"
    )


def test_no_tree_of_a_version() -> None:
    with pytest.raises(FileNotFoundError, match="TensorFlow 1.99.0"):
        trees.tensorflow("1.99.0")


def _copies(folder: Path) -> None:
    """Writes a release 1.2 with a define of its own next to the default release."""
    for name, version, define in (
        ("1.2", "1.2.3", "OLD"),
        (_RELEASE.name, _RELEASE.version, "NDEBUG"),
    ):
        (folder / name).mkdir()
        text = _RELEASE.file("release.toml").read_text()
        text = text.replace(_RELEASE.version, version).replace('"NDEBUG"', f'"{define}"')
        (folder / name / "release.toml").write_text(text)


def test_defines_are_those_of_the_release_of_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    releases = tmp_path / "releases"
    releases.mkdir()
    _copies(releases)
    monkeypatch.setattr(known, "folder", lambda: releases)
    header = "tensorflow/core/public/version.h"
    text = "#define TF_MAJOR_VERSION {}\n#define TF_MINOR_VERSION {}\n#define TF_PATCH_VERSION {}\n"
    for version, define in (
        ("1.2.0", "OLD"),
        (_RELEASE.version, "NDEBUG"),
        ("9.8.7", "NDEBUG"),
    ):
        root = trees.write(tmp_path / version, {header: text.format(*version.split("."))})
        found = known.for_tree(root).defines
        assert {"OLD", "NDEBUG"} & set(found) == {define}, version


def test_facts_of_other_trees(tmp_path: Path) -> None:
    """Of the paths in other_trees.toml, those that the tree has."""
    for folder in ("tensorflow", "third_party/xla/xla/tsl"):
        (tmp_path / folder).mkdir(parents=True)
    header = tmp_path / "tensorflow/core/framework/types.h"
    header.parent.mkdir(parents=True)
    header.touch()
    facts = known.other_tree_facts(tmp_path)
    assert facts.tree.roots == ("tensorflow", "third_party/xla/xla/tsl")
    assert facts.index.types_files == ("tensorflow/core/framework/types.h",)
    assert facts.index.constant_files == ()
    assert "tensorflow/lite" in facts.index.skipped
