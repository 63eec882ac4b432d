"""Where the paths of an older release are in a tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from new_release.tree import Tree

# So many files with an equal name are suggested for a path that is not in the tree.
_MAX_SUGGESTIONS = 3


@dataclass(frozen=True)
class Place:
    """Where a path of the older release is.

    Attributes:
      old: the path.
      new: the path in the tree; None: the tree does not have it.
      suggestions: files with its name, if the tree does not have the path.
    """

    old: str
    new: str | None
    suggestions: tuple[str, ...] = ()


# Where releases have TSL and XLA, oldest first.
_FOLDERS = (("tensorflow/tsl", "tsl", "xla/tsl"), ("tensorflow/compiler/xla", "xla"))


def _moved(path: str) -> Iterator[str]:
    """Yields the places that other releases have for a file or folder of TSL or XLA."""
    for folders in _FOLDERS:
        own = next((f for f in folders if f"{path}/".startswith(f"{f}/")), None)
        if own is not None:
            rest = path.removeprefix(own)
            yield from (f"{folder}{rest}" for folder in folders if folder != own)


class Places:
    """Finds paths of the older release in a tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def of(self, path: str) -> Place:
        """Returns the place of a file or folder.

        A file of TSL or XLA is at its place below the folder that the tree has for these libraries. Other files do not move between
        releases: files with an equal name are only suggestions.
        """
        for candidate in (path, *_moved(path)):
            if not candidate or candidate in self._tree.files or self._tree.has_folder(candidate):
                return Place(path, candidate)
        return Place(path, None, self._suggestions(path))

    def all_of(self, paths: Iterable[str]) -> list[Place]:
        """Returns the places of different paths, in order."""
        return [self.of(path) for path in dict.fromkeys(paths)]

    def _suggestions(self, path: str) -> tuple[str, ...]:
        return tuple(self._by_name[PurePosixPath(path).name][:_MAX_SUGGESTIONS])

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for file in sorted(self._tree.files):
            found[PurePosixPath(file).name].append(file)
        return found
