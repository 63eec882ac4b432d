"""`tfcarve index`: all registrations in a source tree."""

import argparse
import re

from tfcarve import progress
from tfcarve.commands import common, index_argument, options
from tfcarve.registry import index, scan
from tfcarve.releases import tree_version

NAME = "index"
HELP = "writes all op and kernel registrations of a TensorFlow source tree, and of custom ops, to index.json"

_DEFINE = re.compile(r"[A-Za-z_]\w*(=.*)?", re.ASCII)


def _define(text: str) -> str:
    if not _DEFINE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME or NAME=VALUE of a C++ macro")
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
        help="a macro that the compile defines; may be repeated (default: the macros of tfcarve's build)",
    )
    options.add_output(parser, "index.json")


def run(arguments: argparse.Namespace) -> int:
    """Writes the index."""
    sources = common.sources(arguments.tensorflow)
    tree, release = sources.tree(), sources.release
    settings = index_argument.index_settings(arguments, tuple(arguments.define) or release.defines)
    with progress.shown() as show:
        data = scan.make_index(tree, release, settings, arguments.custom_op, show)
    version = tree_version.version(tree)
    # Parsed only if it may lack helper sources.
    if not release.is_of(version) and not index.parse(data, f"index of {tree}").helpers:
        common.warn(
            f"{tree}: no helper sources were found: TensorFlow {version} is not a release that tfcarve builds, "
            f"and the core of {release.version} is not in this tree"
        )
    common.output(data, arguments.output)
    return 0
