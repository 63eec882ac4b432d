"""Releases as data: what release.toml must be, and what it says of the pinned tree."""

import hashlib
import shutil
from fnmatch import fnmatch
from pathlib import Path

import pytest
import trees

from tfcarve.build_files.core import core_of
from tfcarve.build_files.core_bzl import core_bzl
from tfcarve.emit import hot
from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.releases.release import read
from tfcarve.selection import runtime_rules

# The files themselves, not their links in the runfiles.
_REPOSITORY = Path(__file__).resolve().parents[3]
_RELEASE = known.release()


def _tree() -> Path:
    """The whole tree, protos too: not only what is in the runfiles."""
    return (trees.tensorflow() / "tensorflow/core/public/version.h").resolve().parents[3]


def _copy(folder: Path) -> Path:
    place = folder / "2.14"
    place.mkdir()
    shutil.copy(_RELEASE.file("release.toml"), place)
    return place


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('version = "2.14.1"', 'version = "2.15.0"', "'2.15.0' is not of release 2.14"),
        ('version = "2.14.1"', "version = 2", r"Expected `str`, got `int` - at `\$.version`"),
        ("[core]", "[core]\nextra = 1", "unknown field `extra`"),
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
    with pytest.raises(InvalidInput, match=r"TensorFlow 1\.99 is not .* known releases: 2\.14"):
        known.release("1.99")
    assert known.of_version("1.99.0") is None
    assert known.nearest("1.99.0") is _RELEASE
    assert known.of_version("2.14.0") is _RELEASE


def test_starlark_knows_the_same_releases() -> None:
    text = (known.folder() / "releases.bzl").read_text()
    values: dict[str, object] = {"visibility": lambda _: None}
    exec(text, values)
    assert values["RELEASES"] == known.names()
    assert values["DEFAULT_RELEASE"] == known.default_name()


def test_overrides_are_the_files_there_are() -> None:
    """Each override is a file, each file that has TensorFlow's name is an override, each names a test."""
    tree = _tree()
    for kind, listed in (
        ("core", _RELEASE.overrides.core),
        ("kernels", _RELEASE.overrides.kernels),
    ):
        folder = _REPOSITORY / "third_party/tensorflow/overrides" / kind
        files = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file()}
        assert {o.path for o in listed} == {f for f in files if (tree / f).is_file()}
        for override in listed:
            assert override.why
            assert (_REPOSITORY / override.test).is_file(), override.test


def test_added_kernels_are_files_that_tensorflow_does_not_have() -> None:
    assert known.added_kernels(_RELEASE)
    for path, file in known.added_kernels(_RELEASE).items():
        assert file.is_file()
        assert not (_tree() / path).exists()
    for added in _RELEASE.overrides.added:
        assert added.why
        assert (_REPOSITORY / added.test).is_file(), added.test


def test_overrides_replace_the_files_that_were_reviewed() -> None:
    for override in (*_RELEASE.overrides.core, *_RELEASE.overrides.kernels):
        digest = hashlib.sha256((_tree() / override.path).read_bytes()).hexdigest()
        assert digest == override.replaces, f"{override.path}: review the override, then update"


def test_all_paths_are_in_the_tree() -> None:
    units = _RELEASE.units
    named = {*units.libraries, *units.excluded_sources, *units.c_api_sources, *_RELEASE.on_demand}
    named |= set(_RELEASE.core.platform_sources)
    named |= {path for rule in runtime_rules.load(_RELEASE) for path in rule.compiles}
    assert {path for path in named if not (_tree() / path).is_file()} == set()
    folders = {*units.folders, *units.helper_folders, *_RELEASE.tree.roots, *units.excluded_folders}
    assert {f for f in folders if not (_tree() / f).is_dir()} == set()


def test_patterns_of_hot_sources_match() -> None:
    sources = core_of(_tree(), _RELEASE).unit_sources
    for group in hot.groups(_RELEASE):
        for pattern in group.sources:
            assert any(fnmatch(source, pattern) for source in sources), pattern


def test_core_bzl_is_that_of_the_tree() -> None:
    text = core_bzl(_RELEASE, core_of(_tree(), _RELEASE))
    assert text == _RELEASE.file("core.bzl").read_text(), (
        "run ./bazelw run //third_party/tensorflow/releases/2.14:update and review the difference"
    )
