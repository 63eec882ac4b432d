"""`tfcarve header`: the classic ops_to_register.h."""

import argparse
from pathlib import Path

from tfcarve.commands import common, options
from tfcarve.emit.header import header, header_for_all
from tfcarve.errors import InvalidInput

NAME = "header"
HELP = "writes ops_to_register.h for a selection"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "selection", type=Path, nargs="?", metavar="SELECTION", help="selection.json"
    )
    parser.add_argument(
        "--all", action="store_true", help="registers everything, for size comparisons"
    )
    options.add_output(parser, "the header")


def run(arguments: argparse.Namespace) -> int:
    """Writes the header."""
    if arguments.all == (arguments.selection is not None):
        raise InvalidInput("pass either a selection or --all")
    if arguments.all:
        content = header_for_all()
    else:
        content = header(common.load_selection(arguments.selection))
    common.output(content, arguments.output)
    return 0
