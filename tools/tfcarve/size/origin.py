"""Maps an object, as the linker names it, to its part of the library and its source file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from tfcarve.emit.units import file_name
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

_ARCHIVED = re.compile(r"(.*)\(([^()]*)\)\Z")
_LIBRARY = re.compile(r"(?:.*/)?(?:lib)?([^/]+?)\.(?:pic\.)?(?:a|lo)\Z")
_OBJECT = re.compile(r"(?:\.pic)?\.o\Z")
_TOOLCHAIN = re.compile(
    r"(?:/|.*/)?(?:[a-z]*crt[1in]|crtbegin\w*|crtend\w*)\.o\Z|libgcc\w*|libstdc\+\+\w*"
)
# The folders of compiled units; rules/private/library/units.bzl and optional_sources.bzl name them.
_COMPILED = ("units", "helpers", "libraries", "optional", "optional_third_party")
# The names of third-party libraries whose sources are in a folder of another name.
_BY_FOLDER = {"absl": "abseil", "double-conversion": "double_conversion", "util": "re2"}
_OF_RUNTIME = re.compile(r"c_api|run_model|manifest")


@dataclass(frozen=True, slots=True)
class Origin:
    """A part of the library, and a source file, or else the closest description that the object's name allows."""

    part: Part
    file: str


def unit_sources(selection: Selection) -> dict[str, str]:
    """Returns the kernel or helper source of each unit, by the unit's name without extension."""
    return {
        file_name(source).rpartition(".")[0]: source
        for source in (*selection.files, *selection.helpers)
    }


def origin(owner: str, units: Mapping[str, str]) -> Origin:
    """Returns the origin of an object.

    Args:
      owner: its name in the map: `path/libcore.a(graph.pic.o)`, or a path; empty for the linker itself.
      units: from unit_sources.
    """
    if not owner:
        return Origin(LINKER, "")
    archived = _ARCHIVED.match(owner)
    container, member = (
        (archived[1], archived[2]) if archived else (owner, owner.rpartition("/")[2])
    )
    stem = _OBJECT.sub("", member)
    library = _library(container, bool(archived))
    if library in ("units", "helpers") and stem in units:
        return Origin(KERNELS if library == "units" else HELPERS, units[stem])
    folder, separator, _ = stem.partition("__")
    if library in _COMPILED[1:] and folder and separator:
        # Not of a selected source: of an optional source, or of a source of a third-party library.
        library = "core" if folder == "tensorflow" else _BY_FOLDER.get(folder, folder)
        stem = stem.rpartition("__")[2]
    if container.startswith("/") or _TOOLCHAIN.match(container.rpartition("/")[2]):
        return Origin(TOOLCHAIN, f"{library}: {stem}" if archived else stem)
    named = f"{library}: {stem}"
    if stem.endswith((".pb", ".pb.cc")) or "proto" in library.removeprefix("protobuf"):
        return Origin(PROTOS, named)
    if _OF_RUNTIME.match(library):
        return Origin(INTERFACE, named)
    if library.startswith("core"):
        return Origin(CORE, named)
    return Origin(THIRD_PARTY, named)


def _library(container: str, archived: bool) -> str:
    """The library's name: that of its archive, or of Bazel's folder of a target's objects."""
    if archived:
        found = _LIBRARY.match(container)
        return found[1] if found else container.rpartition("/")[2]
    parts = container.split("/")
    if "_objs" in parts:
        # _objs/<target>/…; tfcarve's rules compile to <target>/units and other folders.
        inside = parts[parts.index("_objs") + 1 : -1]
        return next((p for p in inside if p in _COMPILED), inside[0] if inside else "")
    return parts[-2] if len(parts) > 1 else ""
