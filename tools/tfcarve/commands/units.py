"""`tfcarve units`: what the selected sources are compiled through."""

import argparse
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common
from tfcarve.emit import units

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
        help="folder for the units of sources that register something",
    )
    parser.add_argument(
        "--helpers",
        type=Path,
        metavar="DIR",
        help="folder for those of the sources that they need to link",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the folders."""
    selection = common.load_selection(arguments.selection)
    made = units.units(selection), units.helpers(selection)
    files.write_directory(arguments.units, made[0])
    if arguments.helpers is not None:
        files.write_directory(arguments.helpers, made[1])
    return 0
