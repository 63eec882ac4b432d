"""Finds the helper sources that a unit needs to link."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tfcarve.build_files import helpers
from tfcarve.build_files.core import core_sources
from tfcarve.build_files.sources import Sources
from tfcarve.build_files.tree import BuildTree
from tfcarve.registry import cache
from tfcarve.registry.memo import Memo
from tfcarve.registry.tree import Texts
from tfcarve.releases.paths import ReleaseMismatch
from tfcarve.releases.release import Release

_CPP = (".cc", ".h", ".inc", ".hpp", ".hh")


class HelperSearch:
    """The search for helper sources: scan() reads the tree's files, then found() returns the helpers of units.

    Helpers are never part of the core. A tree of a release that tfcarve does not build may lack the core that the newest
    release's data describes; then there are no helpers.
    """

    def __init__(
        self,
        tensorflow: Path,
        version: str,
        release: Release,
        texts: Texts,
        digests: Mapping[str, str],
        memo: Memo,
    ) -> None:
        """Reads nothing yet.

        Args:
          tensorflow: the tree's root.
          version: its TensorFlow version.
          release: its release, or the default release if tfcarve does not build the tree's release.
          texts: the texts of its files.
          digests: a digest of each text.
          memo: values of the previous run.
        """
        self._root = tensorflow
        self._release = release
        self._builds = release.is_of(version)
        self._digests = digests
        self._memo = memo
        self._sources = Sources(lambda path: texts[path] if path in digests else "")
        self._defined: dict[str, list[str]] = {}
        self._known = frozenset[str]()
        self._all_known = ""  # its digest
        self._outlines: dict[str, list[str]] = {}
        self._included: dict[str, str] = {}

    def scan(self) -> None:
        """Finds the includes of files, and the names in headers and in sources that may be helpers.

        This takes seconds and does not depend on the units, so it can run beside the preprocessor.
        """
        paths = [
            p
            for p in sorted(self._digests)
            if p.endswith(_CPP) and helpers.looks_at_names(p, self._release)
        ]
        for path in paths:
            if path.endswith(".cc"):

                def defines(path: str = path) -> list[str]:
                    return sorted(self._sources.names(path).defined)

                self._defined[path] = self._memo.get("defines", path, self._digests[path], defines)
        self._known = frozenset(name for names in self._defined.values() for name in names)
        self._all_known = cache.digest(sorted(self._known))
        self._outlines = {path: self._names(path) for path in paths}
        self._included = {p: self._includes(p) for p in self._digests if p.endswith(_CPP)}

    def found(self, units: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Returns the helper sources of each unit that needs any.

        `units` are the sources that register something, as paths relative to the root.

        Raises:
          ReleaseMismatch: tfcarve builds the tree's release, but the tree has no core.
        """
        registering = frozenset(units)
        key = cache.digest(
            [*self._inputs(registering), str(self._release.core), "units", *sorted(registering)]
        )
        found = self._memo.get("helpers", "", key, lambda: self._search(registering))
        return {unit: tuple(helping) for unit, helping in found.items()}

    def _includes(self, path: str) -> str:
        def includes() -> str:
            return cache.digest(self._sources.direct(path))

        return self._memo.get("includes", path, self._digests[path], includes)

    def _names(self, path: str) -> list[str]:
        """Returns digests of the names in a file that the search depends on.

        The search depends on the names that the file defines, instantiates, or only declares, and on the names of helpers
        that it uses. So most changes inside a function do not change the digests.
        """

        def templates() -> str:
            names = self._sources.names(path)
            return cache.digest([*sorted(names.instantiated), "", *sorted(names.promised)])

        def uses() -> str:
            return cache.digest(sorted(self._sources.names(path).used & self._known))

        digest = self._digests[path]
        return [
            self._memo.get("templates", path, digest, templates),
            cache.digest(self._defined.get(path, ())),
            self._memo.get("uses", path, digest + self._all_known, uses),
        ]

    def _inputs(self, units: frozenset[str]) -> Iterator[str]:
        """Yields digests of everything that the search depends on."""
        for path, digest in sorted(self._digests.items()):
            if path not in self._included:
                yield f"{path} {digest}"
                continue
            yield path
            yield self._included[path]
            if path in self._outlines:
                yield from self._outlines[path]
            elif path in units:
                yield from self._names(path)

    def _search(self, units: frozenset[str]) -> dict[str, list[str]]:
        tree = BuildTree(self._root, self._release.tree.repositories)
        try:
            core = core_sources(tree, self._release)
        except ReleaseMismatch:
            if self._builds:
                raise
            return {}
        found = helpers.helper_sources(
            tree, self._release, self._sources, sorted(units), units, core
        )
        return {unit: list(helping) for unit, helping in found.items()}
