"""`tfcarve units`: what the selected sources are compiled through."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common
from tfcarve.emit import units
from tfcarve.errors import AnswerIsNo, BadInput
from tfcarve.selection import libraries
from tfcarve.selection.selection import Selection

NAME = "units"
HELP = "writes a unit of three lines for each selected source"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--units",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder for the units of sources that register something, and nothing else",
    )
    parser.add_argument(
        "--helpers",
        type=Path,
        metavar="DIR",
        help="folder for those of the sources that they need to link",
    )
    parser.add_argument(
        "--define",
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="a define of the compile; where any are given, a selection made for others is refused",
    )


def _require_same_defines(of_compile: Sequence[str], of_selection: Sequence[str]) -> None:
    ours, theirs = set(of_compile), set(of_selection)
    if ours and ours != theirs:
        raise BadInput(
            "the selection was made for other defines than the compile has:\n"
            f"  only in the selection: {' '.join(sorted(theirs - ours)) or 'none'}\n"
            f"  only in the compile:   {' '.join(sorted(ours - theirs)) or 'none'}\n"
            "they decide which kernels there are: make the index with those of the compile"
        )


def _require_libraries(selection: Selection, name: Path) -> None:
    problems = libraries.missing(selection)
    if problems:
        raise AnswerIsNo(
            f"{name}: no library can be built from it, for want of what tfcarve does not build:",
            problems,
        )


def run(arguments: argparse.Namespace) -> int:
    """Writes the folders."""
    selection = common.load_selection(arguments.selection)
    _require_same_defines(arguments.define, selection.tensorflow.defines)
    _require_libraries(selection, arguments.selection)
    made = {arguments.units: units.units(selection)}
    if arguments.helpers is not None:
        made[arguments.helpers] = units.helpers(selection)
        if arguments.helpers.resolve() == arguments.units.resolve():
            raise BadInput(
                f"{arguments.helpers}: for the units and for the helpers: give two folders"
            )
    for folder in made:
        files.require_own(folder, units.is_unit)
    for folder, content in made.items():
        files.write_directory(folder, content)
    return 0
