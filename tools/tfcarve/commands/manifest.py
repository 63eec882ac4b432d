"""`tfcarve manifest`: the unit that tells what a library was made for."""

import argparse
from pathlib import Path

from tfcarve.commands import common, options
from tfcarve.emit import manifest as emit
from tfcarve.proof import manifest

NAME = "manifest"
HELP = "writes the C++ unit by which a library tells what it was made for"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--no-table",
        action="store_true",
        help="lets the linker drop the table of registrations, which prove reads",
    )
    options.add_output(parser, "the unit")


def run(arguments: argparse.Namespace) -> int:
    """Writes the unit."""
    made = manifest.of(common.load_selection(arguments.selection))
    common.output(emit.unit(made, keep_table=not arguments.no_table), arguments.output)
    return 0
