"""Which other sources a unit needs to link."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from tfcarve.build_files import helpers
from tfcarve.build_files.core import CoreSourcesError, core_sources
from tfcarve.build_files.includes import included
from tfcarve.build_files.symbols import (
    defined_names,
    instantiated_names,
    promised_names,
    used_names,
)
from tfcarve.registry import cache
from tfcarve.registry.memo import Memo
from tfcarve.registry.tree import Texts


def _search(tensorflow: Path, units: Iterable[str]) -> dict[str, list[str]]:
    try:
        core = core_sources(tensorflow)
    except CoreSourcesError:
        return {}
    registering = frozenset(units)
    found = helpers.helper_sources(tensorflow, sorted(registering), registering, core)
    return {unit: list(sources) for unit, sources in found.items()}


def _outlines(texts: Texts, digests: Mapping[str, str], memo: Memo) -> Iterable[str]:
    """Yields, for each file, a digest of all that the search looks at.

    Of C++ these are the includes, the names it defines, instantiates and leaves to others, and which of the names
    that any source defines it uses: so a changed line inside of a function mostly changes nothing here.
    """
    defined: dict[str, list[str]] = {}
    for path in digests:
        if path.endswith(".cc"):

            def defines(path: str = path) -> list[str]:
                return sorted(defined_names(texts[path]))

            defined[path] = memo.get("defines", path, digests[path], defines)
    known = frozenset(name for names in defined.values() for name in names)
    all_known = cache.digest(sorted(known))
    for path, digest in sorted(digests.items()):
        if not path.endswith((".cc", ".h", ".inc", ".hpp", ".hh")):
            yield f"{path} {digest}"
            continue

        def includes(path: str = path) -> str:
            return cache.digest(included(texts[path]))

        def uses(path: str = path) -> str:
            return cache.digest(sorted(used_names(texts[path]) & known))

        def templates(path: str = path) -> str:
            text = texts[path]
            return cache.digest(
                [*sorted(instantiated_names(text)), "", *sorted(promised_names(text))]
            )

        yield path
        yield memo.get("includes", path, digest, includes)
        if path in defined or helpers.looks_at_names(path):
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
    key = cache.digest([*_outlines(texts, digests, memo), "units", *registering])
    found = memo.get("helpers", "", key, lambda: _search(tensorflow, registering))
    return {unit: tuple(sources) for unit, sources in found.items()}
