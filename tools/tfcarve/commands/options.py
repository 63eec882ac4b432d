"""Arguments that several subcommands have, and the types of arguments that name output files."""

import argparse
import math
from collections.abc import Callable
from pathlib import Path

from tfcarve import files

DASH = "-"
# In the help of an option that output_file parses.
OR_DASH = "- is standard output"


def output_file(text: str) -> Path:
    """Parses the name of one file that a command writes: `-` is standard output.

    If the name is `-`, `cli.main` sends the command's other output to standard error.
    """
    return files.STANDARD_OUTPUT if text == DASH else Path(text)


def not_standard_output(why: str) -> Callable[[str], Path]:
    """Returns a parser of names that refuses `-`.

    Args:
      why: why standard output cannot be written, for the error.
    """

    def parse(text: str) -> Path:
        if text == DASH:
            raise argparse.ArgumentTypeError(f"- is standard output: {why}: pass a name")
        return Path(text)

    return parse


def tolerance(text: str) -> float:
    """Parses an accepted difference; raises ValueError if it is no number, or negative or infinite."""
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(text)
    return value


# Parses the name of a folder that a command writes.
output_folder = not_standard_output("a folder cannot be written there")


def add_index(parser: argparse.ArgumentParser) -> None:
    """Declares --index and the arguments of add_tree."""
    parser.add_argument(
        "--index",
        type=Path,
        metavar="FILE",
        help="index.json (default: the index of the pinned TensorFlow, which is built once and cached)",
    )
    add_tree(parser)


def add_tree(parser: argparse.ArgumentParser) -> None:
    """Declares --tensorflow, --custom-op, --target, --target-macros."""
    parser.add_argument(
        "--tensorflow",
        type=Path,
        metavar="DIR",
        help="TensorFlow's source tree: the folder that contains tensorflow/ (default: $TFCARVE_TENSORFLOW, or the pinned "
        "version)",
    )
    add_custom_op(parser)
    parser.add_argument(
        "--target",
        metavar="NAME",
        help="triple or platform that the index is for; requires --target-macros (default: the host)",
    )
    parser.add_argument(
        "--target-macros",
        type=Path,
        metavar="FILE",
        help="predefined macros of the target's compiler: the output of `COMPILER FLAGS -dM -E -x c++ /dev/null`",
    )


def add_custom_op(parser: argparse.ArgumentParser) -> None:
    """Declares --custom-op."""
    parser.add_argument(
        "--custom-op",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="C++ source of custom ops or kernels; may be repeated",
    )


def add_output(parser: argparse.ArgumentParser, what: str, *, required: bool = False) -> None:
    """Declares -o; without it, commands whose output is not required write to standard output."""
    parser.add_argument(
        "-o",
        "--output",
        type=output_file,
        required=required,
        metavar="FILE",
        help=f"where to write {what}; {OR_DASH}" + ("" if required else " (default: -)"),
    )
