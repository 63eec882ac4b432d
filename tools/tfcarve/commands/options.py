"""Arguments that several subcommands have. It imports nothing else, so that commands start fast."""

import argparse
from pathlib import Path


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
    parser.add_argument(
        "--custom-op",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="C++ source of custom ops or kernels; may be repeated",
    )
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


def add_output(parser: argparse.ArgumentParser, what: str) -> None:
    """Declares -o."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"where to write {what} (default: standard output)",
    )
