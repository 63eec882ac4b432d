"""The few lines through which a selected source is compiled."""

from collections.abc import Iterable

from tfcarve.emit import hot
from tfcarve.emit.cstring import quote
from tfcarve.emit.source_path import fit
from tfcarve.errors import InvalidInput
from tfcarve.releases.release import Release
from tfcarve.selection.selection import Selection

_TENSORFLOW = "tensorflow/"
# Sources in this folder register by calls of TensorFlow's C API.
_C_API = "tensorflow/c/"
_HELPER = '#include "selected.h"\n'


def file_name(source: str) -> str:
    """Returns the name of the unit for `source`: its path in one word.

    Raises InvalidInput where the path is none that a source can have.
    """
    name = fit(source).strip("/").replace("/", "__")
    # A unit with its source's own name would include itself.
    return f"__{name}" if name == source else name


def _include(source: str) -> str:
    # Angle brackets: with quotes, a compiler looks into TensorFlow's own tree first, and would not
    # find what stands in place of a source (third_party/tensorflow/overrides/kernels).
    named = f"<{source}>" if source.startswith(_TENSORFLOW) else f'"{source}"'
    return f"#include {named}\n"


def is_unit(head: bytes) -> bool:
    """Says whether a file that begins with `head` (64 bytes, or all of it) is a unit, or one of a helper."""
    return head.startswith((b"#define TFCARVE_", _HELPER.encode()))


def _unit(source: str, lists: str) -> bytes:
    # Both headers leave a record of each registration, where the source makes it.
    table = "c_registration_table.h" if source.startswith(_C_API) else "registration_table.h"
    unit = f'#define TFCARVE_UNIT "{source}"\n'
    return f'{lists}{unit}#include "{table}"\n{_include(source)}'.encode()


def _define(macro: str, names: Iterable[str]) -> str:
    listed = ", ".join(quote(name) for name in names)
    return f"#define {macro} {listed}\n" if listed else ""


def units(selection: Selection) -> dict[str, bytes]:
    """Returns the unit of each selected source, by file name.

    Raises InvalidInput where two sources have the same name, or one has no fit path.
    """
    classes, ops = selection.classes_by_file(), selection.ops_by_file()
    made: dict[str, bytes] = {}
    for source in selection.files:
        text = _define("TFCARVE_KERNEL_CLASSES", classes[source]) + _define(
            "TFCARVE_OPS", ops[source]
        )
        name = file_name(source)
        if name in made:
            raise InvalidInput(
                f"{source}: has the name {name} as another source has: rename one of them"
            )
        made[name] = _unit(source, text)
    return made


def helpers(selection: Selection) -> dict[str, bytes]:
    """Returns the unit of each helper source, by file name: it registers nothing."""
    return {
        file_name(source): f"{_HELPER}{_include(source)}".encode() for source in selection.helpers
    }


def hot_names(selection: Selection, release: Release) -> frozenset[str]:
    """Returns the file names of those units, of sources and helpers, that are compiled for speed."""
    return frozenset(
        file_name(source)
        for source in (*selection.files, *selection.helpers)
        if hot.group_of(source, release)
    )
