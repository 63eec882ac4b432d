"""Maps an object, as the linker names it, to its part of the library and its source file."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, get_args

from tfcarve.emit.units import file_name
from tfcarve.json_codec import JsonDocument
from tfcarve.releases.release import Release
from tfcarve.runtime_sources import optional_sources
from tfcarve.selection.selection import Selection

Part = Literal[
    "kernels",
    "kernel helpers",
    "core",
    "protos",
    "C interface",
    "third party",
    "toolchain",
    "unattributed",
]
PARTS: tuple[Part, ...] = get_args(Part)
KERNELS: Part
HELPERS: Part
CORE: Part
PROTOS: Part
INTERFACE: Part
THIRD_PARTY: Part
TOOLCHAIN: Part
LINKER: Part
KERNELS, HELPERS, CORE, PROTOS, INTERFACE, THIRD_PARTY, TOOLCHAIN, LINKER = PARTS

# The unit with the library's manifest; rules/private/proof/prove.bzl names it.
_MANIFEST = "manifest"
# The part and the library of an optional source, by the start of its path.
_BY_FOLDER: dict[str, tuple[Part, str]] = {
    "tensorflow/": (CORE, "core"),
    "tsl/": (CORE, "core"),
    "third_party/tensorflow/": (CORE, "core"),
    "tools/runtime/engine/": (INTERFACE, "engine"),
    "tools/runtime/session/": (INTERFACE, "session"),
    "absl/": (THIRD_PARTY, "abseil"),
    "double-conversion/": (THIRD_PARTY, "double_conversion"),
    "re2/": (THIRD_PARTY, "re2"),
    "util/": (THIRD_PARTY, "re2"),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """A part of the library, and a source file, or else the closest description that the object's name allows."""

    part: Part
    file: str


class Library(JsonDocument, frozen=True):
    """An archive or an object of a link.

    Attributes:
      path: its path, as the linker names it.
      name: the name of the library, for reports.
      part: the part of its objects, except those of protos. None for an archive of sources that tfcarve wrote for the
        selection: the selection and the release have the part of each source.
    """

    path: str
    name: str
    part: Part | None


class Origins:
    """The origins of the objects of a link.

    Args:
      libraries: the archives and objects of the link, except the toolchain's.
      sources: the origin of each source that tfcarve wrote, by the name of its object without extension; from
        generated_sources.
    """

    def __init__(self, libraries: Iterable[Library], sources: Mapping[str, Origin]) -> None:
        self._libraries = {library.path: library for library in libraries}
        self._sources = sources

    def of(self, owner: str) -> Origin:
        """Returns the origin of an object.

        Args:
          owner: its name in the map: `path/libcore.a(graph.pic.o)`, or a path; empty for the linker itself.
        """
        if not owner:
            return Origin(LINKER, "")
        path, member = _split(owner)
        library = self._libraries.get(path)
        stem = _stem(member or path)
        if library is None:
            # The toolchain adds its own objects to each link.
            archive = PurePosixPath(path).stem.removeprefix("lib")
            return Origin(TOOLCHAIN, f"{archive}: {stem}" if member else stem)
        if library.part is None:
            return self._sources.get(stem) or Origin(LINKER, f"{library.name}: {stem}")
        return _origin(library.part, library.name, stem)


def generated_sources(selection: Selection, release: Release) -> dict[str, Origin]:
    """Returns the origin of each source that tfcarve writes for a library, by its file name without extension.

    Raises:
      InvalidInput: the release's list of optional sources is damaged.
    """
    found = {_MANIFEST: Origin(INTERFACE, f"{_MANIFEST}: {_MANIFEST}")}
    for source in optional_sources.read(release).sources:
        other: tuple[Part, str] = (THIRD_PARTY, source.path.partition("/")[0])
        found_in = (of for start, of in _BY_FOLDER.items() if source.path.startswith(start))
        part, name = next(found_in, other)
        found[_unit(source.path)] = _origin(part, name, PurePosixPath(source.path).stem)
    for name, paths in release.libraries.items():
        for path in paths:
            found[_unit(f"{name}/{path}")] = _origin(THIRD_PARTY, name, PurePosixPath(path).stem)
    for part, sources in ((HELPERS, selection.helpers), (KERNELS, selection.files)):
        found.update({_unit(source): Origin(part, source) for source in sources})
    return found


def _origin(part: Part, library: str, stem: str) -> Origin:
    # protoc names its sources *.pb.cc.
    return Origin(PROTOS if stem.endswith(".pb") else part, f"{library}: {stem}")


def _unit(source: str) -> str:
    """The file name of a source's unit without extension."""
    return file_name(source).rpartition(".")[0]


def _split(owner: str) -> tuple[str, str]:
    """The archive and the member of `archive(member)`; a path has no member."""
    if not owner.endswith(")"):
        return owner, ""
    path, _, member = owner.removesuffix(")").rpartition("(")
    return path, member


def _stem(path: str) -> str:
    """The name of an object without extension; those of position-independent code end in .pic.o."""
    return PurePosixPath(path).name.removesuffix(".o").removesuffix(".pic")
