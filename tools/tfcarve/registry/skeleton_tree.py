"""The skeletons of a whole tree: their includes, and the files for the preprocessor."""

import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tfcarve.registry import cache, skeleton
from tfcarve.registry.memo import Memo
from tfcarve.registry.preprocess import PRELUDE_NAME
from tfcarve.registry.skeleton import Skeleton
from tfcarve.registry.tree import Texts, Tree


class SkeletonTree:
    """The skeletons of a tree's files. Includes and digests are cached; texts are created on demand."""

    def __init__(self, tree: Tree, texts: Texts, digests: Mapping[str, str], memo: Memo) -> None:
        """Reads nothing yet; `memo` must be for a tree with the same paths."""
        self._tree = tree
        self._texts = texts
        self._digests = digests
        self._memo = memo
        self._skeletons = {
            path: skeleton.make(text, False, partial(self._find, path))
            for path, text in tree.release.generated_headers.items()
        }
        self._outlines: dict[str, tuple[str, frozenset[str]]] = {}

    def skeleton(self, path: str) -> Skeleton:
        """Returns the skeleton of a file."""
        if path not in self._skeletons:
            whole = not skeleton.is_header(path)
            self._skeletons[path] = skeleton.make(
                self._texts[path], whole, partial(self._find, path)
            )
        return self._skeletons[path]

    def _find(self, includer: str, written: str) -> str | None:
        return (
            written
            if written in self._tree.release.generated_headers
            else self._tree.find(includer, written)
        )

    def _outline(self, path: str) -> tuple[str, frozenset[str]]:
        """Returns a digest of a file's skeleton, and its includes."""

        def outline() -> list[Any]:
            found = self.skeleton(path)
            return [cache.digest([path, found.text]), list(found.includes)]

        key = self._digests.get(path, "")  # generated headers have no digest and do not change
        digest, includes = self._memo.get("skeleton", path, key, outline)
        return digest, frozenset(includes)

    def closure(self, *paths: str) -> list[str]:
        """Returns `paths` and all files that they include, directly or indirectly, sorted."""
        outlines = self._outlines
        seen = set(paths)
        todo = list(paths)
        while todo:
            path = todo.pop()
            if path not in outlines:
                outlines[path] = self._outline(path)
            new = outlines[path][1] - seen
            seen |= new
            todo += new
        return sorted(seen)

    def digest(self, path: str) -> str:
        """Returns a digest of everything that the preprocessor reads for a source."""
        return cache.digest([self._outlines[p][0] for p in self.closure(path)])

    def write(self, folder: Path, paths: Iterable[str]) -> None:
        """Writes the skeletons of `paths` and the prelude into `folder`."""
        folders: set[str] = set()
        for path in paths:
            place = f"{folder}/{path}"
            parent = place.rpartition("/")[0]
            if parent not in folders:
                os.makedirs(parent, exist_ok=True)
                folders.add(parent)
            with open(place, "w", encoding="utf-8", newline="") as stream:
                stream.write(self.skeleton(path).text)
        (folder / PRELUDE_NAME).write_text(skeleton.PRELUDE, encoding="utf-8")
