"""A TensorFlow source tree as a set of paths; files are read on demand."""

import contextlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tfcarve.errors import InvalidInput
from tfcarve.releases import known, tree_version
from tfcarve.releases.known import TreeFacts
from tfcarve.releases.paths import check_paths
from tfcarve.releases.release import Release

_HEADERS = (".h", ".hpp", ".hh", ".inc")
_SOURCES = (".cc", ".cpp", ".cxx")
_READ = (*_HEADERS, *_SOURCES, ".bzl")
# In a repository that tfcarve's Bazel rules fetched, TensorFlow's files are named BUILD.upstream.
_BUILD_FILES = ("BUILD", "BUILD.bazel", "BUILD.upstream", "BUILD.bazel.upstream")

# Names of tests in all releases.
_TEST_FILE = re.compile(
    r"(?:_test|_test_\w+|_benchmark|_testutil|_test_util|_testlib|testlib_\w+)\.(?:cu\.)?cc$|/(?:testdata|integration_test|test)/"
)

# A file that every tree has.
MARKER = "tensorflow/core/framework/op_kernel.h"


@dataclass(frozen=True)
class Stat:
    """The state of a file; if it is unchanged, so is the text."""

    size: int
    mtime_ns: int


@dataclass(frozen=True)
class Tree:
    """The files of a tree, of the kernels that its release adds, and of custom ops.

    Attributes:
      root: the folder that contains `tensorflow/`.
      files: for each path relative to the root (for custom ops: see `custom`), the file's location and state.
      sources: the paths that may register something, in order.
      custom: for each custom op source (its path without a leading `/` or `..`), the path that the user gave.
      facts: the folders with sources, and the files that the index reads.
      release: the tree's release, or the default release for a tree of another version.
    """

    root: Path
    files: Mapping[str, tuple[str, Stat]]
    sources: tuple[str, ...]
    custom: Mapping[str, str]
    facts: TreeFacts
    release: Release

    def read(self, path: str) -> str:
        """Returns the text of the file at `path` in the tree."""
        place = self.files[path][0]
        try:
            with open(place, encoding="utf-8", errors="replace", newline="") as stream:
                return stream.read()
        except OSError as error:
            raise InvalidInput(f"{place}: cannot be read: {error.strerror}") from None

    def find(self, includer: str, written: str) -> str | None:
        """Returns the path of the file that `#include "written"` in `includer` includes, or None."""
        for prefix in self.facts.tree.include_prefixes:
            if prefix + written in self.files:
                return prefix + written
        if "/" in includer:
            near = os.path.normpath(f"{includer.rpartition('/')[0]}/{written}")
            if near in self.files:
                return near
        return None


class Texts(dict[str, str]):
    """The texts of a tree's files by path, read on first access."""

    def __init__(self, tree: Tree) -> None:
        """Reads nothing yet."""
        super().__init__()
        self._tree = tree

    def __missing__(self, path: str) -> str:
        """Reads the file at `path`; raises InvalidInput if it cannot be read."""
        text = self[path] = self._tree.read(path)
        return text


def _stat(file: Path) -> Stat:
    status = file.stat()
    return Stat(status.st_size, status.st_mtime_ns)


def _add(
    files: dict[str, tuple[str, Stat]], place: str, where: str, skipped: frozenset[str]
) -> None:
    """Adds the files in the folder at `place`, whose path in the tree is `where`, recursively, without `skipped` folders."""
    with os.scandir(place) as entries:
        for entry in entries:
            name, path = entry.name, f"{where}/{entry.name}"
            # Hidden files belong to editors and tools; no source includes a name that is not UTF-8.
            if name.startswith(".") or name.endswith("_test.cc") or not name.isprintable():
                continue
            if entry.is_dir(follow_symlinks=False):
                if path not in skipped:
                    _add(files, entry.path, path, skipped)
            elif name in _BUILD_FILES or name.endswith(_READ):
                with contextlib.suppress(FileNotFoundError):  # a broken symbolic link
                    status = entry.stat()
                    files[path] = (entry.path, Stat(status.st_size, status.st_mtime_ns))


def load(root: Path, release: Release, custom_ops: Iterable[Path] = ()) -> Tree:
    """Lists the files under `root`, the kernels that its release adds, and custom op sources with the headers next to them.

    Args:
      root: the tree.
      release: its release, or the default release if tfcarve does not build the tree's release.
      custom_ops: sources outside of the tree.

    Raises:
      InvalidInput: `root` is not a TensorFlow source tree, it lacks a path that the data of its release names, or a
        custom op source is missing.
    """
    if not (root / MARKER).is_file():
        raise InvalidInput(
            f"{root}: not a TensorFlow source tree: {MARKER} does not exist: "
            "pass the folder that contains tensorflow/"
        )
    is_built = release.is_of(tree_version.version(root))
    if is_built:
        check_paths(root, release, protos=False)
    facts = TreeFacts(release.tree, release.index) if is_built else known.other_tree_facts(root)
    skipped = frozenset(facts.index.skipped)
    files: dict[str, tuple[str, Stat]] = {}
    try:
        for top in facts.tree.roots:
            _add(files, str(root / top), top, skipped)
        for added, place in release.added_kernels.items() if is_built else ():
            files[added] = (str(place), _stat(place))
    except OSError as error:
        raise InvalidInput(f"{error.filename}: cannot be read: {error.strerror}") from None
    sources = sorted(p for p in files if p.endswith(_SOURCES) and not _TEST_FILE.search(p))
    custom = {}
    for path in custom_ops:
        if not path.is_file():
            raise InvalidInput(f"{path}: no such file: expected the C++ source of a custom op")
        headers = [p for p in path.parent.iterdir() if p.name.endswith(_HEADERS) and p.is_file()]
        for file in (path, *sorted(headers)):
            files[_inside(file)] = (str(file), _stat(file))
        custom[_inside(path)] = path.as_posix()
    sources += sorted(custom)
    return Tree(
        root,
        MappingProxyType(files),
        tuple(dict.fromkeys(sources)),
        custom,
        facts,
        release,
    )


def _inside(path: Path) -> str:
    """Returns `path` without a leading `/` or `..`, so that it can be created inside another folder."""
    if ".." in path.parts:
        path = Path(os.path.abspath(path))
    return path.as_posix().lstrip("/")
