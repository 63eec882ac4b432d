"""`tfcarve include-tree`: headers and all headers that they include."""

import argparse
from pathlib import Path

from tfcarve.commands.options import output_folder
from tfcarve.emit.include_tree import IncludePath, include_tree
from tfcarve.errors import InvalidInput
from tfcarve.files import write_if_changed

NAME = "include-tree"
HELP = "copies headers, and all headers that they include, into one folder"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "header", nargs="+", metavar="HEADER", help="the name of a header in an #include line"
    )
    parser.add_argument(
        "-I",
        dest="folders",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="folder to search for headers; may be repeated: the first folder that has a header is used",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=output_folder,
        required=True,
        metavar="DIR",
        help="an empty or new folder",
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the tree."""
    tree = include_tree(IncludePath(arguments.folders), arguments.header)
    if arguments.output.is_dir() and any(arguments.output.iterdir()):
        raise InvalidInput(f"{arguments.output}: is not empty: pass another folder")
    for name, content in tree.items():
        write_if_changed(arguments.output / name, content)
    return 0
