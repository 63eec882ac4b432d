"""`tfcarve header`: the classic ops_to_register.h."""

import argparse
from pathlib import Path

from tfcarve.commands import common
from tfcarve.emit.header import header

NAME = "header"
HELP = "writes ops_to_register.h for a selection"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    common.add_output_argument(parser, "the header")


def run(arguments: argparse.Namespace) -> int:
    """Writes the header."""
    common.output(header(common.load_selection(arguments.selection)), arguments.output)
    return 0
