"""The skeletons of a whole tree: who includes whom, and the files that the preprocessor is given."""

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
    """The skeletons of a tree's files: their includes and digests for all, their texts when they are asked for."""

    def __init__(self, tree: Tree, texts: Texts, digests: Mapping[str, str], memo: Memo) -> None:
        """What `memo` keeps of a file holds as long as its digest and the tree's list of files are the same."""
        self._tree = tree
        self._texts = texts
        self._digests = digests
        self._memo = memo
        self._made = {path: Skeleton(text, ()) for path, text in skeleton.GENERATED.items()}
        self._outlines: dict[str, tuple[str, frozenset[str]]] = {}

    def made(self, path: str) -> Skeleton:
        """Returns the skeleton of a file."""
        if path not in self._made:
            whole = not skeleton.is_header(path)
            self._made[path] = skeleton.make(self._texts[path], whole, partial(self._find, path))
        return self._made[path]

    def _find(self, includer: str, written: str) -> str | None:
        return written if written in skeleton.GENERATED else self._tree.find(includer, written)

    def _outline(self, path: str) -> tuple[str, frozenset[str]]:
        """Returns a digest of a file's skeleton, and what it includes."""

        def make() -> list[Any]:
            made = self.made(path)
            return [cache.digest([path, made.text]), list(made.includes)]

        key = self._digests.get(path, "")  # of what is generated there is none, nor does it change
        digest, includes = self._memo.get("skeleton", path, key, make)
        return digest, frozenset(includes)

    def closure(self, *paths: str) -> list[str]:
        """Returns `paths` with all that they include, sorted."""
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
        """Returns a digest of all that the preprocessor sees of a source."""
        return cache.digest([self._outlines[p][0] for p in self.closure(path)])

    def write(self, folder: Path, paths: Iterable[str]) -> None:
        """Writes the skeletons of `paths` into `folder`, and the prelude."""
        folders: set[str] = set()
        for path in paths:
            place = f"{folder}/{path}"
            parent = place.rpartition("/")[0]
            if parent not in folders:
                os.makedirs(parent, exist_ok=True)
                folders.add(parent)
            with open(place, "w", encoding="utf-8", newline="") as stream:
                stream.write(self.made(path).text)
        (folder / PRELUDE_NAME).write_text(skeleton.PRELUDE, encoding="utf-8")
