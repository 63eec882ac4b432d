"""The three lines through which a selected source is compiled."""

import re
from collections.abc import Iterable

from tfcarve.emit.cstring import quote
from tfcarve.errors import BadInput
from tfcarve.selection.selection import Selection

_PATH = re.compile(r"[A-Za-z0-9_./+@~=-]+\Z")


def file_name(source: str) -> str:
    """Returns the name of the unit for `source`: its path in one word.

    Raises BadInput where the path has characters that no source of TensorFlow has.
    """
    if not _PATH.match(source) or ".." in source.split("/"):
        raise BadInput(
            f"{source!r}: no path of a source: letters, digits and ._+@~=/- only, without .."
        )
    name = source.strip("/").replace("/", "__")
    # A unit with its source's own name would include itself.
    return f"__{name}" if name == source else name


def _define(macro: str, names: Iterable[str]) -> str:
    listed = ", ".join(quote(name) for name in names)
    return f"#define {macro} {listed}\n" if listed else ""


def units(selection: Selection) -> dict[str, bytes]:
    """Returns the unit of each selected source, by file name.

    Raises BadInput where two sources have the same name, or one has no fit path.
    """
    classes, ops = selection.classes_by_file(), selection.ops_by_file()
    made: dict[str, bytes] = {}
    for source in selection.files:
        text = _define("TFCARVE_KERNEL_CLASSES", classes[source]) + _define(
            "TFCARVE_OPS", ops[source]
        )
        name = file_name(source)
        if name in made:
            raise BadInput(
                f"{source}: has the name {name} as another source has: rename one of them"
            )
        made[name] = f'{text}#include "{source}"\n'.encode()
    return made


def helpers(selection: Selection) -> dict[str, bytes]:
    """Returns the unit of each helper source, by file name: the source and nothing else."""
    return {file_name(source): f'#include "{source}"\n'.encode() for source in selection.helpers}
