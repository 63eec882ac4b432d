"""`tfcarve size-marginal`: the marginal size of an op, a class, a data type or a model."""

import argparse
from pathlib import Path
from typing import Any

import msgspec

from tfcarve import progress
from tfcarve.commands import common, size_common
from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from tfcarve.size import link_line
from tfcarve.size.marginal import MarginalSize
from tfcarve.size.relink import Relinker
from tfcarve.size.removal import KINDS, Target, names, parse_target

NAME = "size-marginal"
HELP = "relinks a library without an op, a class, a data type or a model, and shows the bytes that this saves"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "selection", type=Path, metavar="SELECTION", help="the library's selection.json"
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="KIND:NAME",
        help="the part to remove: op:Relu, class:'ReluOp<CPUDevice, float>', dtype:int64, model:b.pb; may be repeated",
    )
    parser.add_argument(
        "--each",
        action="append",
        default=[],
        choices=KINDS,
        help="removes each op, class, data type or model of the selection in turn; may be repeated",
    )
    size_common.add_link_arguments(parser, required=True)
    parser.add_argument(
        "--relink-only",
        action="store_true",
        help="compiles nothing: units that would change are linked unchanged, and results are lower bounds",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def run(arguments: argparse.Namespace) -> int:
    """Prints the marginal sizes, largest first."""
    selection = common.load_selection(arguments.selection)
    targets = _targets(arguments, selection)
    line = link_line.load(arguments.link, arguments.root)
    release = known.for_version(selection.tensorflow.version)
    relinker = Relinker(line, selection, release, recompile=not arguments.relink_only)
    found = []
    with progress.shown() as show:
        for number, target in enumerate(targets):
            show(target.text(), number, len(targets))
            found.append(relinker.marginal_size(target))
    found.sort(key=lambda marginal: -marginal.saved["stripped"])
    columns = ("stripped", "text", "gzip", "exact", "without", "units")
    row = msgspec.to_builtins if arguments.json else _cells
    common.table(map(row, found), columns, arguments.json)
    return 0


def _targets(arguments: argparse.Namespace, selection: Selection) -> list[Target]:
    known = names(selection)
    each = [Target(kind, name) for kind in arguments.each for name in sorted(known[kind])]
    found = [*map(parse_target, arguments.without), *each]
    if not found:
        raise InvalidInput("nothing to remove: pass --without KIND:NAME or --each KIND")
    return found


def _cells(marginal: MarginalSize) -> dict[str, Any]:
    return {
        **{str(measure): size for measure, size in marginal.saved.items()},
        "exact": "exact" if marginal.exact else "at least",
        "without": marginal.target,
        "units": f"{len(marginal.dropped)} dropped, {len(marginal.recompiled)} recompiled, "
        f"{len(marginal.kept)} unchanged",
    }
