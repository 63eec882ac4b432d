"""Tests of check_paths(): each path in release.toml must be in the tree."""

from __future__ import annotations

import dataclasses
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tfcarve.releases import known
from tfcarve.releases.paths import ReleaseMismatch, check_core_paths, check_paths
from tfcarve.releases.release import FOLDERS, Release

_RELEASES = [known.release(name) for name in known.names()]
_SOURCES = (".cc", ".h", ".proto")
_FOLDERS = [folder.rstrip("/") for folder in FOLDERS]
# What is named under these keys is not in TensorFlow's tree.
_NOT_IN_THE_TREE = ("overrides.added",)


def _named(value: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Yields each path in release.toml with the list that it is in, regardless of what check_paths() knows of the lists."""
    if key in _NOT_IN_THE_TREE:
        return
    if isinstance(value, str):
        if value.split("/")[0] in _FOLDERS:
            yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from _named(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name.startswith(FOLDERS):
                yield key, name
            else:
                inner = name in ("path", "sources")
                yield from _named(item, key if inner else f"{key}.{name}".lstrip("."))


def _paths(release: Release) -> list[tuple[str, str]]:
    return list(_named(tomllib.loads(release.file("release.toml").read_text())))


def _write(root: Path, release: Release) -> None:
    for _, path in _paths(release):
        place = root / path
        if path.endswith(_SOURCES):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        else:
            place.mkdir(parents=True, exist_ok=True)


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink()


_ONE_OF_EACH_LIST = [
    pytest.param(release, key, path, id=f"{release.name}-{key}")
    for release in _RELEASES
    for key, path in dict(_paths(release)).items()
]


def test_each_list_is_found() -> None:
    keys = {key for release in _RELEASES for key, _ in _paths(release)}
    assert {"tree.roots", "index.skipped", "core.on_demand", "units.libraries"} <= keys
    assert len(keys) > 15


@pytest.mark.parametrize("release", _RELEASES, ids=lambda release: release.name)
def test_a_whole_tree(release: Release, tmp_path: Path) -> None:
    _write(tmp_path, release)
    check_paths(tmp_path, release)
    check_core_paths(tmp_path, release)


@pytest.mark.parametrize(("release", "key", "path"), _ONE_OF_EACH_LIST)
def test_a_path_that_the_tree_lacks(release: Release, key: str, path: str, tmp_path: Path) -> None:
    _write(tmp_path, release)
    _remove(tmp_path / path)
    with pytest.raises(ReleaseMismatch) as caught:
        check_paths(tmp_path, release)
    assert f"{path} ({key})" in str(caught.value)
    assert str(release.file("release.toml")) in str(caught.value)


@pytest.mark.parametrize("release", _RELEASES, ids=lambda release: release.name)
def test_every_path_is_checked(release: Release, tmp_path: Path) -> None:
    with pytest.raises(ReleaseMismatch) as caught:
        check_paths(tmp_path, release)
    assert not [path for key, path in _paths(release) if f"{path} ({key})" not in str(caught.value)]


@pytest.mark.parametrize(
    ("key", "layout"),
    [
        ("tree.include_prefixes", {"include_prefixes": ("", "third_party/gone/")}),
        ("tree.repositories", {"repositories": {"local_tsl": "third_party/gone/"}}),
    ],
)
def test_a_wrong_folder_of_the_layout(key: str, layout: dict[str, object], tmp_path: Path) -> None:
    release = known.release()
    _write(tmp_path, release)
    changed = dataclasses.replace(release, tree=replace(release.tree, **layout))
    with pytest.raises(ReleaseMismatch, match=rf"third_party/gone/ \({key}\)"):
        check_paths(tmp_path, changed)


def test_a_folder_in_place_of_a_file(tmp_path: Path) -> None:
    release = known.release()
    _write(tmp_path, release)
    path = release.core.platform_sources[0]
    (tmp_path / path).unlink()
    (tmp_path / path).mkdir()
    with pytest.raises(ReleaseMismatch, match=path):
        check_paths(tmp_path, release)


def test_a_tree_without_protos(tmp_path: Path) -> None:
    """As builds give it to the index."""
    release = known.release()
    _write(tmp_path, release)
    proto = next(o.path for o in release.overrides.core if o.path.endswith(".proto"))
    (tmp_path / proto).unlink()
    check_paths(tmp_path, release, protos=False)
    with pytest.raises(ReleaseMismatch, match=proto):
        check_paths(tmp_path, release)


@pytest.mark.parametrize("key", ["core.platform_sources", "core.on_demand"])
def test_paths_of_the_core(key: str, tmp_path: Path) -> None:
    release = known.release()
    _write(tmp_path, release)
    paths = [path for found, path in _paths(release) if found == key]
    (tmp_path / paths[0]).unlink()
    with pytest.raises(ReleaseMismatch, match=rf"{paths[0]} \({key}\)"):
        check_core_paths(tmp_path, release)
