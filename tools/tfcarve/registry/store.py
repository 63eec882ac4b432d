"""Finished indexes in the cache, and the digests that identify them."""

import os
from collections.abc import Callable, Mapping

import msgspec

from tfcarve.json_codec import JsonDocument
from tfcarve.registry import cache
from tfcarve.registry.memo import Memo
from tfcarve.registry.settings import Settings
from tfcarve.registry.tree import MARKER, Tree

_BUILD_FILES = ("BUILD", "BUILD.bazel", ".bzl", ".upstream")
_CODE = ("tensorflow/", "tsl/", "third_party/")


class _Seen(JsonDocument, frozen=True):
    """The state of a tree's files when it was last indexed, and the key of that index."""

    stats: str
    index: str


def digests(tree: Tree, read: Callable[[str], str]) -> dict[str, str]:
    """Returns a digest of each file's text; reads only files whose time stamp or size changed."""
    # Where the files really are: in a sandbox there are links to them.
    place = os.path.realpath(tree.files[MARKER][0])
    memo = Memo(cache.digest(["digests", place, cache.code_digest()]))
    found: dict[str, str] = {}
    for path, (_, stat) in sorted(tree.files.items()):

        def digest(path: str = path) -> str:
            return cache.digest([read(path)])

        found[path] = memo.get("digest", path, f"{stat.size} {stat.mtime_ns}", digest)
    memo.save()
    return found


def tree_sha256(digests: Mapping[str, str]) -> str:
    """Returns the digest that identifies a tree: of its C++ sources and headers, without custom ops."""
    code = [p for p in digests if p.startswith(_CODE) and not p.endswith(_BUILD_FILES)]
    return cache.digest(part for path in code for part in (path, digests[path]))


class Store:
    """The cached indexes of one tree with one set of settings."""

    def __init__(self, tree: Tree, settings: Settings) -> None:
        """Computes the keys; reads no file of the tree."""
        self._common = [
            *settings.key(),
            cache.code_digest(),
            tree.release.name,
            *sorted(tree.custom.values()),
        ]
        self._stats = cache.digest(
            f"{path} {stat.size} {stat.mtime_ns}" for path, (_, stat) in sorted(tree.files.items())
        )
        self._seen = cache.digest([os.path.realpath(tree.root), *self._common])

    def unchanged(self) -> bytes | None:
        """Returns the last index if no time stamp or size of a file changed since, or None."""
        data = cache.read("seen", self._seen)
        if data is None:
            return None
        try:
            seen = msgspec.json.decode(data, type=_Seen)
        except (msgspec.DecodeError, UnicodeDecodeError):  # damaged
            return None
        return cache.read("index", seen.index) if seen.stats == self._stats else None

    def find(self, digests: Mapping[str, str]) -> bytes | None:
        """Returns the index of a tree with these texts, or None."""
        data = cache.read("index", self._key(digests))
        if data is not None:
            self._note(digests)
        return data

    def save(self, digests: Mapping[str, str], data: bytes) -> None:
        """Stores the index of a tree with these texts."""
        cache.write("index", self._key(digests), data)
        self._note(digests)

    def _note(self, digests: Mapping[str, str]) -> None:
        seen = _Seen(self._stats, self._key(digests))
        cache.write("seen", self._seen, msgspec.json.encode(seen))

    def _key(self, digests: Mapping[str, str]) -> str:
        return cache.digest([*self._common, *(part for item in digests.items() for part in item)])
