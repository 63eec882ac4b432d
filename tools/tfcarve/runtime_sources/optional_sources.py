"""Optional sources: sources of the runtime that the core omits. A library has them if one of its objects refers to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tfcarve import files, json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.releases.release import FOLDERS, Release
from tfcarve.runtime_sources.qualified_names import qualified_name

FILE_NAME = "optional_sources.json"
# The folders of tfcarve's own sources in the list, and of all sources that are compiled like TensorFlow's.
OWN = ("third_party/tensorflow/", "tools/runtime/")
TENSORFLOW = (*FOLDERS, *OWN)
# The sources with which parts of the runtime begin that it may be known to need before its selection is made.
ENVIRONMENT = "tools/runtime/engine/environment.cc"
SHAPE_FUNCTIONS = "tensorflow/core/framework/common_shape_fns.cc"
# absl::StrFormat.
_STR_FORMAT = "absl/strings/internal/str_format/"


class OptionalSource(JsonDocument, frozen=True):
    """An optional source.

    Attributes:
      path: relative to the tree of TensorFlow or of another project; generated from a proto if it ends in .pb.cc.
      defines: qualified names of its functions and variables, sorted; `Class::*` for a class and all its members.
      needs: paths of the optional sources that it refers to, sorted.
      session: whether TensorFlow's session needs it.
    """

    path: str
    defines: tuple[str, ...]
    needs: tuple[str, ...]
    session: bool


class OptionalSources(JsonDocument, frozen=True, tag_field="version", tag=2):
    """The optional sources of a release, sorted by path."""

    sources: tuple[OptionalSource, ...]


def read(release: Release) -> OptionalSources:
    """Reads the optional sources of a release; a release without the file has none: its core is complete.

    Raises InvalidInput if the file is damaged.
    """
    file = release.file(FILE_NAME)
    if not file.is_file():
        return OptionalSources(())
    remedy = (
        f"run ./bazelw run //third_party/tensorflow/releases/{release.name}:update_optional_sources"
    )
    return json_codec.decode_version(files.read_bytes(file), OptionalSources, str(file), 2, remedy)


def needed(
    optional: OptionalSources, undefined: Iterable[str], shared: Iterable[str] = ()
) -> list[str]:
    """Returns the paths of the optional sources that a library compiles, sorted.

    Args:
      optional: the optional sources of its release.
      undefined: symbols that its objects refer to and that none of them defines.
      shared: keys of SHARED: the parts of the runtime whose objects are among those of the library. It does not compile their
        sources again, although sources that it compiles need them: with two copies, its link could fail.
    """
    names = {name for symbol in undefined for name in _matching(qualified_name(symbol))}
    direct = (source.path for source in optional.sources if not names.isdisjoint(source.defines))
    found = closure(direct, _needs(optional))
    return sorted(found.difference(*(SHARED[name](optional) for name in shared)))


def in_session(optional: OptionalSources) -> frozenset[str]:
    """Returns the paths of the sources that libraries with TensorFlow's session share: all but other projects' sources."""
    return frozenset(
        source.path
        for source in optional.sources
        if source.session and source.path.startswith(TENSORFLOW)
    )


def part(optional: OptionalSources, root: str) -> list[str]:
    """Returns the path of an optional source and the optional sources that it needs, sorted; none if it is not optional."""
    needs = _needs(optional)
    return sorted(closure([root], needs)) if root in needs else []


def _ours(root: str) -> Callable[[OptionalSources], frozenset[str]]:
    """Returns a function that gives TensorFlow's sources of a part; those of other projects have objects of their own."""
    return lambda optional: frozenset(
        path for path in part(optional, root) if path.startswith(TENSORFLOW)
    )


def _str_format(optional: OptionalSources) -> frozenset[str]:
    return frozenset(
        source.path for source in optional.sources if source.path.startswith(_STR_FORMAT)
    )


# The parts of the runtime that libraries share: their sources, by their names.
SHARED: Mapping[str, Callable[[OptionalSources], frozenset[str]]] = {
    "environment": _ours(ENVIRONMENT),
    "session": in_session,
    "shape-functions": _ours(SHAPE_FUNCTIONS),
    "str-format": _str_format,
}


def closure(roots: Iterable[str], references: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Returns the roots and all sources that they refer to, directly or indirectly."""
    found = set(roots)
    todo = list(found)
    while todo:
        new = set(references[todo.pop()]) - found
        found |= new
        todo.extend(new)
    return frozenset(found)


def _needs(optional: OptionalSources) -> dict[str, tuple[str, ...]]:
    return {source.path: source.needs for source in optional.sources}


def scope(name: str) -> str:
    """Returns the class or namespace of a qualified name; "" if it has none."""
    return name.rpartition("::")[0]


def _matching(name: str) -> tuple[str, str, str]:
    """Returns the entries of `defines` that a name may refer to: the name, its class, or `name::*` if it is a class."""
    return name, f"{scope(name)}::*", f"{name}::*"
