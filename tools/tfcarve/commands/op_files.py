"""`tfcarve op-files`: tf_op_files.txt."""

import argparse
from pathlib import Path

from tfcarve.commands import common
from tfcarve.emit.op_files import op_files

NAME = "op-files"
HELP = "writes tf_op_files.txt for a selection: the sources to compile"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    common.add_output_argument(parser, "the list")


def run(arguments: argparse.Namespace) -> int:
    """Writes the list."""
    common.output(op_files(common.load_selection(arguments.selection)), arguments.output)
    return 0
