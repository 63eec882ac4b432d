"""Which other sources a unit needs to link."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from tfcarve.build_files import helpers
from tfcarve.build_files.core import CoreSourcesError, core_sources
from tfcarve.build_files.sources import Sources
from tfcarve.registry import cache
from tfcarve.registry.memo import Memo
from tfcarve.registry.tree import Texts


def _search(tensorflow: Path, sources: Sources, units: Iterable[str]) -> dict[str, list[str]]:
    try:
        core = core_sources(tensorflow)
    except CoreSourcesError:
        return {}
    registering = frozenset(units)
    found = helpers.helper_sources(tensorflow, sources, sorted(registering), registering, core)
    return {unit: list(helping) for unit, helping in found.items()}


def _outlines(
    sources: Sources, units: Iterable[str], digests: Mapping[str, str], memo: Memo
) -> Iterable[str]:
    """Yields, for each file, a digest of all that the search looks at.

    Of C++ these are the includes and, where the search looks at names, those it defines, instantiates and leaves
    to others, and which of the names that any source defines it uses: so a changed line inside of a function mostly
    changes nothing here.
    """
    registering = frozenset(units)
    looked_at = [p for p in sorted(digests) if p in registering or helpers.looks_at_names(p)]
    defined: dict[str, list[str]] = {}
    for path in looked_at:
        if path.endswith(".cc"):

            def defines(path: str = path) -> list[str]:
                return sorted(sources.names(path).defined)

            defined[path] = memo.get("defines", path, digests[path], defines)
    known = frozenset(name for names in defined.values() for name in names)
    all_known = cache.digest(sorted(known))
    named = frozenset(looked_at)
    for path, digest in sorted(digests.items()):
        if not path.endswith((".cc", ".h", ".inc", ".hpp", ".hh")):
            yield f"{path} {digest}"
            continue

        def includes(path: str = path) -> str:
            return cache.digest(sources.direct(path))

        def uses(path: str = path) -> str:
            return cache.digest(sorted(sources.names(path).used & known))

        def templates(path: str = path) -> str:
            names = sources.names(path)
            return cache.digest([*sorted(names.instantiated), "", *sorted(names.promised)])

        yield path
        yield memo.get("includes", path, digest, includes)
        if path in named:
            yield memo.get("templates", path, digest, templates)
            yield cache.digest(defined.get(path, ()))
            yield memo.get("uses", path, digest + all_known, uses)


def helper_sources(
    tensorflow: Path, units: Iterable[str], texts: Texts, digests: Mapping[str, str], memo: Memo
) -> dict[str, tuple[str, ...]]:
    """Returns, for each of the sources `units` that needs any, the helper sources in order.

    Helpers are never part of the core. TensorFlow 1.x and older 2.x do not say what their core is:
    there, no helpers are told.

    Args:
      tensorflow: the tree's root.
      units: the sources that register something, paths from the root.
      texts: the tree's files.
      digests: of each file's text.
      memo: where the last run's answers are.
    """
    registering = sorted(units)
    sources = Sources(lambda path: texts[path] if path in digests else "")
    key = cache.digest([*_outlines(sources, registering, digests, memo), "units", *registering])
    found = memo.get("helpers", "", key, lambda: _search(tensorflow, sources, registering))
    return {unit: tuple(helping) for unit, helping in found.items()}
