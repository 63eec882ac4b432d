"""`tfcarve index`: every registration in a source tree."""

import argparse
import os
import re

from tfcarve import progress
from tfcarve.commands import common, options
from tfcarve.registry import scan

NAME = "index"
HELP = "writes every op and kernel registration of a TensorFlow source tree, and of custom ops, to index.json"

_DEFINE = re.compile(r"[A-Za-z_]\w*(=.*)?", re.ASCII)


def _define(text: str) -> str:
    if not _DEFINE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no NAME or NAME=VALUE of a C++ macro")
    return text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    options.add_tree(parser)
    parser.add_argument(
        "--define",
        type=_define,
        action="append",
        default=[],
        metavar="NAME[=VALUE]",
        help="a define of the real compile; where none is given: those of tfcarve's own build",
    )
    options.add_output(parser, "index.json")


def run(arguments: argparse.Namespace) -> int:
    """Makes the index."""
    tree = common.tensorflow_tree(arguments.tensorflow)
    defines = tuple(arguments.define) or common.default_defines()
    settings = scan.Settings(defines, scan.find_compiler(os.environ))
    with progress.shown() as show:
        data = scan.make_index(tree, settings, arguments.custom_op, show)
    common.output(data, arguments.output)
    return 0
