"""Determines the optional sources of a release from the objects of its complete runtime."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from tfcarve.runtime_sources.optional_sources import OptionalSource, OptionalSources, closure, scope
from tfcarve.runtime_sources.qualified_names import qualified_name


@dataclass(frozen=True)
class Symbols:
    """The external symbols of an object: mangled names.

    Attributes:
      strong: defined in one object only.
      weak: defined in each object that uses them: inline functions, instantiated templates.
      undefined: referred to and not defined.
    """

    strong: frozenset[str]
    weak: frozenset[str]
    undefined: frozenset[str]


def optional_sources(
    candidates: Mapping[str, Symbols], others: Iterable[Symbols], session: Iterable[Symbols]
) -> OptionalSources:
    """Returns the candidates that the other objects do not need, directly or indirectly.

    Args:
      candidates: the objects of sources that may be optional, by path.
      others: the objects of sources that each library compiles.
      session: the objects that each library with TensorFlow's session compiles in addition.
    """
    definers = _definers(candidates)
    references = {
        path: _targets(symbols.undefined, definers) - {path} for path, symbols in candidates.items()
    }
    strong = {path: _names(symbols.strong) for path, symbols in candidates.items()}

    def needed_by(users: Iterable[Symbols]) -> frozenset[str]:
        roots = frozenset[str]().union(*(_targets(user.undefined, definers) for user in users))
        return closure(roots, references)

    others, session = tuple(others), tuple(session)
    core = needed_by(others)
    of_session = needed_by(session)
    undefined = frozenset[str]().union(
        *(symbols.undefined for symbols in (*candidates.values(), *others, *session))
    )
    scopes = Counter(scope(name) for names in strong.values() for name in names)
    return OptionalSources(
        tuple(
            OptionalSource(
                path,
                _entries(
                    strong[path],
                    _names(candidates[path].weak),
                    _names(candidates[path].weak & undefined),
                    scopes,
                ),
                tuple(sorted(references[path] - core)),
                path in of_session,
            )
            for path in sorted(candidates.keys() - core)
        )
    )


def _definers(candidates: Mapping[str, Symbols]) -> Mapping[str, str]:
    """Returns the candidate that defines each symbol; if several define a weak symbol, the first one."""
    found: dict[str, str] = {}
    for path, symbols in sorted(candidates.items()):
        for symbol in symbols.weak:
            found.setdefault(symbol, path)
    for path, symbols in candidates.items():
        found.update(dict.fromkeys(symbols.strong, path))
    return found


def _targets(undefined: Iterable[str], definers: Mapping[str, str]) -> frozenset[str]:
    return frozenset(definers[symbol] for symbol in undefined if symbol in definers)


def _names(symbols: Iterable[str]) -> frozenset[str]:
    return frozenset(map(qualified_name, symbols))


def _entries(
    strong: Set[str], weak: Set[str], instantiated: Set[str], scopes: Mapping[str, int]
) -> tuple[str, ...]:
    """Returns the names by which other objects may refer to an object.

    A weak symbol counts if another object refers to it without a definition: the object instantiates a template for others. It also
    counts if the object defines a strong symbol in its class or namespace: such symbols are virtual tables, and templates that only
    units may refer to. Inline functions of headers do not count: each object that uses them defines them.

    Args:
      strong: names of its strong symbols.
      weak: names of its weak symbols.
      instantiated: names of the weak symbols that other objects refer to and do not define.
      scopes: number of strong names in each class or namespace, in all objects.
    """
    own = Counter(map(scope, strong))
    # With a constructor, destructor or virtual table, it is a class; alone in it, the object defines all its members.
    classes = {
        name
        for name, count in own.items()
        if count == scopes[name] and {f"{name}::C", f"{name}::D", name} & (strong | weak)
    }
    names = strong | instantiated | {name for name in weak if name in own or scope(name) in own}
    return tuple(
        sorted(
            {f"{name}::*" for name in classes}
            | {name for name in names if name not in classes and scope(name) not in classes}
        )
    )
