"""The releases that come with tfcarve.

Commands, and programs that are started with a release's name, look up a release here and pass it on. No other module looks up
a release: it takes the release as a parameter.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.module_root import module_root
from tfcarve.releases import tree_version
from tfcarve.releases.release import IndexFacts, Layout, Release, read


class TreeFacts(JsonDocument, frozen=True):
    """The facts about a tree that tfcarve needs even if it does not build the tree's release."""

    tree: Layout
    index: IndexFacts


def folder() -> Path:
    """Returns the folder of all releases."""
    return module_root() / "third_party" / "tensorflow" / "releases"


def names() -> list[str]:
    """Returns the names of all releases, sorted."""
    return sorted(file.parent.name for file in folder().glob("*/release.toml"))


def default_name() -> str:
    """Returns the name of the default release: the newest one that is proved, like DEFAULT_RELEASE in releases.bzl."""
    proved = (name for name in names() if _read(folder() / name).is_proved)
    return max(proved, key=lambda name: [int(number) for number in name.split(".")])


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


def for_version(version: str) -> Release:
    """Returns the release of a TensorFlow version, or the default release if tfcarve does not build the version's release.

    Release.is_of distinguishes the two cases.
    """
    name = ".".join(version.split(".")[:2])
    return release(name if name in names() else "")


def for_tree(root: Path) -> Release:
    """Returns the release of a TensorFlow tree, as for_version does for the version that the tree states."""
    return for_version(tree_version.version(root))


def other_tree_facts(root: Path) -> TreeFacts:
    """Returns the facts about the tree `root` of a release that tfcarve does not build."""
    other = msgspec.toml.decode((folder() / "other_trees.toml").read_bytes(), type=TreeFacts)

    def present(paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(path for path in paths if (root / path).exists())

    index = IndexFacts(
        types_files=present(other.index.types_files),
        constant_files=present(other.index.constant_files),
        skipped=other.index.skipped,
    )
    return TreeFacts(msgspec.structs.replace(other.tree, roots=present(other.tree.roots)), index)


def data_files() -> list[Path]:
    """Returns the files that an index depends on, of all releases, sorted."""
    patterns = ("*.toml", "*/release.toml", "*/generated_headers/**/*.h")
    return sorted(file for pattern in patterns for file in folder().glob(pattern))
