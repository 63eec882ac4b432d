"""`tfcarve select`: what models need."""

import argparse
import sys
from pathlib import Path

from tfcarve.commands import common
from tfcarve.models import read
from tfcarve.selection import runtime_rules
from tfcarve.selection.resolve import resolve

NAME = "select"
HELP = "works out the ops, kernels and sources that models need"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "models",
        type=Path,
        nargs="+",
        metavar="MODEL",
        help="frozen GraphDef .pb or .pbtxt, SavedModel directory, .meta, .tflite with Flex ops, ops list .json or .yaml",
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="ops list .yaml with what no model tells"
    )
    parser.add_argument(
        "--tags",
        default="",
        metavar="TAG[,TAG]",
        help="of a SavedModel's graphs, those with all these tags; else all",
    )
    common.add_index_arguments(parser)
    common.add_output_argument(parser, "selection.json")


def run(arguments: argparse.Namespace) -> int:
    """Makes the selection."""
    paths = [*arguments.models, *([arguments.config] if arguments.config else [])]
    tags = [tag for tag in arguments.tags.split(",") if tag]
    models = [read.read(path, tags) for path in paths]
    resolved = resolve(models, common.load_index(arguments), runtime_rules.load())
    for warning in resolved.warnings:
        print(f"tfcarve: warning: {warning}", file=sys.stderr)
    common.output(resolved.selection.to_json(), arguments.output)
    return 0
