"""From the linker's name of an object to the part of the library and the source file that it is of."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tfcarve.emit.units import file_name
from tfcarve.selection.selection import Selection

KERNELS = "kernels"
HELPERS = "kernel helpers"
CORE = "core"
PROTOS = "protos"
INTERFACE = "C interface"
THIRD_PARTY = "third party"
TOOLCHAIN = "toolchain"
LINKER = "unattributed"
PARTS = (KERNELS, HELPERS, CORE, PROTOS, INTERFACE, THIRD_PARTY, TOOLCHAIN, LINKER)

_ARCHIVED = re.compile(r"(.*)\(([^()]*)\)\Z")
_LIBRARY = re.compile(r"(?:.*/)?(?:lib)?([^/]+?)\.(?:pic\.)?(?:a|lo)\Z")
_OBJECT = re.compile(r"(?:\.pic)?\.o\Z")
_TOOLCHAIN = re.compile(
    r"(?:/|.*/)?(?:[a-z]*crt[1in]|crtbegin\w*|crtend\w*)\.o\Z|libgcc\w*|libstdc\+\+\w*"
)
_OF_RUNTIME = re.compile(r"c_api|run_model|manifest")


@dataclass(frozen=True, slots=True)
class Origin:
    """A part of PARTS, and a source file or the nearest that the linker's name tells."""

    part: str
    file: str


def unit_sources(selection: Selection) -> dict[str, str]:
    """Returns, for each unit's name without extension, the source that it includes."""
    return {
        file_name(source).rpartition(".")[0]: source
        for source in (*selection.files, *selection.helpers)
    }


def origin(owner: str, units: Mapping[str, str]) -> Origin:
    """Returns where an object is from.

    Args:
      owner: as the map names it: `path/libcore.a(graph.pic.o)`, or a path.
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
    """The library's name: of its archive, or of the folder of objects that Bazel keeps for a target."""
    if archived:
        found = _LIBRARY.match(container)
        return found[1] if found else container.rpartition("/")[2]
    parts = container.split("/")
    if "_objs" in parts:
        # _objs/<target>/… ; a rule of tfcarve's own compiles as <target>/units and <target>/helpers
        inside = parts[parts.index("_objs") + 1 : -1]
        return next((p for p in inside if p in ("units", "helpers")), inside[0] if inside else "")
    return parts[-2] if len(parts) > 1 else ""
