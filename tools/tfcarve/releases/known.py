"""The releases that come with tfcarve."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.releases.release import Layout, Release, read

# Where TSL is in the trees of other releases: a repository of its own, and in XLA from 2.15 on. Such trees can be indexed,
# but no libraries are built from them.
_OTHER_TREES = Layout(
    roots=(
        "tensorflow",
        "tsl",
        "third_party/xla/third_party/tsl/tsl",
        "third_party/xla/xla/tsl",
    ),
    include_prefixes=("", "third_party/xla/", "third_party/xla/third_party/tsl/"),
    repositories={},
)


def folder() -> Path:
    """Returns the folder of all releases: in the repository, or in the installed package."""
    package = Path(__file__).parents[1]
    installed = package / "_pinned" / "releases"
    if installed.is_dir():
        return installed
    return package.parents[1] / "third_party" / "tensorflow" / "releases"


def added_kernels(of: Release | None) -> dict[str, Path]:
    """Returns the sources that a release adds to TensorFlow's tree: the file of each path in the tree; None adds none."""
    kernels = folder().parent / "overrides" / "kernels"
    return {added.path: kernels / added.path for added in of.overrides.added} if of else {}


def names() -> list[str]:
    """Returns the names of all releases, sorted."""
    return sorted(file.parent.name for file in folder().glob("*/release.toml"))


def default_name() -> str:
    """Returns the name of the default release: the newest one, as DEFAULT_RELEASE in releases.bzl."""
    return max(names(), key=lambda name: [int(number) for number in name.split(".")])


def release(name: str = "") -> Release:
    """Returns a release by its name, or the default release.

    Raises InvalidInput, with the names of all releases, if there is no such release.
    """
    name = name or default_name()
    if name not in names():
        raise InvalidInput(
            f"TensorFlow {name} is not a release that tfcarve builds; known releases: {', '.join(names())}"
        )
    return _read(folder() / name)


@cache
def _read(place: Path) -> Release:
    return read(place)


def of_version(version: str) -> Release | None:
    """Returns the release of a TensorFlow version, or None if tfcarve does not build that release."""
    name = ".".join(version.split(".")[:2])
    return release(name) if name in names() else None


def nearest(version: str) -> Release:
    """Returns the release of a version, or the default release for the version of another tree."""
    return of_version(version) or release()


def other_layout(root: Path) -> Layout:
    """Returns the layout of a tree of a release that tfcarve does not build."""
    present = tuple(folder for folder in _OTHER_TREES.roots if (root / folder).is_dir())
    return Layout(
        roots=present,
        include_prefixes=_OTHER_TREES.include_prefixes,
        repositories=_OTHER_TREES.repositories,
    )
