"""`tfcarve select`: what models need."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from tfcarve.commands import options
from tfcarve.errors import BadInput
from tfcarve.models.hashing import Ahead
from tfcarve.printable import printable

NAME = "select"
HELP = "works out the ops, kernels and sources that models need"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "models",
        type=Path,
        nargs="+",
        metavar="MODEL",
        help="frozen GraphDef .pb or .pbtxt, SavedModel directory, .meta, .tflite with Flex ops, Keras .keras or .h5 "
        "(these need tensorflow), ops list .json or .yaml",
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
    parser.add_argument(
        "--signature",
        action="append",
        default=[],
        metavar="NAME",
        help="of a SavedModel, only what this signature needs; may be repeated: each model gives those of them "
        "that it has, at least one; else all of the graph is selected",
    )
    options.add_index(parser)
    options.add_output(parser, "selection.json")


def _require_all_found(asked: Iterable[str], has: Iterable[str]) -> None:
    missing = set(asked) - set(has)
    if missing:
        raise BadInput(
            f"no model has the signature {min(missing)!r}: only SavedModels and MetaGraphs have signatures; "
            "`tfcarve inspect MODEL` lists them"
        )


def _select(paths: Iterable[Path], arguments: argparse.Namespace, hashes: Ahead) -> int:
    # Loaded beside the hashes: it takes a third of the time that a selection does.
    from tfcarve.commands import common
    from tfcarve.models import read
    from tfcarve.selection import leftover_kinds, runtime_rules
    from tfcarve.selection.resolve import resolve

    tags = tuple(tag for tag in arguments.tags.split(",") if tag)
    choice = read.Choice(tags, tuple(arguments.signature))
    models = [read.read(path, choice, hashes.sha256) for path in paths]
    _require_all_found(choice.signatures, (name for model in models for name in model.signatures))
    resolved = resolve(
        models, common.load_index(arguments), runtime_rules.load(), leftover_kinds.load()
    )
    for warning in resolved.warnings:
        print(printable(f"tfcarve: warning: {warning}"), file=sys.stderr)
    for note in resolved.notes:
        print(printable(f"tfcarve: note: {note}"), file=sys.stderr)
    common.output(resolved.selection.to_json(), arguments.output)
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Makes the selection."""
    paths = [*arguments.models, *([arguments.config] if arguments.config else [])]
    with Ahead(paths) as hashes:
        return _select(paths, arguments, hashes)
