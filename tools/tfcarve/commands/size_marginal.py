"""`tfcarve size-marginal`: what a library saves without an op, a class, a data type or a model."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfcarve import files, json_form, progress
from tfcarve.commands import common, size_common
from tfcarve.errors import InvalidInput
from tfcarve.json_form import Each
from tfcarve.selection.selection import Selection
from tfcarve.size import link_line
from tfcarve.size.relink import MarginalSize, Relinker
from tfcarve.size.report import MEASURES
from tfcarve.size.without import KINDS, Target, target

NAME = "size-marginal"
HELP = "links a library again without an op, a class, a data type or a model: what that saves"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="its selection.json")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="KIND:NAME",
        help="op:Relu, class:'ReluOp<CPUDevice, float>', dtype:int64, model:b.pb",
    )
    parser.add_argument(
        "--each", action="append", default=[], choices=KINDS, help="all there are of a kind"
    )
    size_common.add_link_arguments(parser, required=True)
    parser.add_argument(
        "--relink-only",
        action="store_true",
        help="compiles nothing: a unit that only loses a part is linked whole, and the result is a lower bound",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _targets(arguments: argparse.Namespace, selection: Selection) -> list[Target]:
    names = {
        "op": {o.name for o in selection.ops},
        "class": {k.clazz for k in selection.kernels},
        "dtype": {t for k in selection.kernels for types in k.constraints.values() for t in types},
        "model": {m.path for m in selection.models},
    }
    each = [Target(kind, name) for kind in arguments.each for name in sorted(names[kind])]
    found = [*map(target, arguments.without), *each]
    if not found:
        raise InvalidInput("nothing to leave out: give --without KIND:NAME or --each KIND")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Prints the marginal_sizes."""
    selection = common.load_selection(arguments.selection)
    targets = _targets(arguments, selection)
    line = link_line.load(arguments.link, arguments.root)
    relinker = Relinker(line, selection, recompile=not arguments.relink_only)
    marginal_sizes = []
    with progress.shown() as show:
        for number, wanted in enumerate(targets):
            show(wanted.text(), number, len(targets))
            marginal_sizes.append(relinker.marginal_size(wanted))
    rows = [
        _row(marginal) for marginal in sorted(marginal_sizes, key=lambda p: -p.saved["stripped"])
    ]
    if not arguments.json:
        for row in rows:
            row["units"] = (
                f"{len(row.pop('dropped'))} dropped, {len(row.pop('recompiled'))} compiled again, "
                f"{len(row.pop('kept'))} kept whole"
            )
            row.update({"without": row["target"], **row.pop("saved")})
            row["exact"] = "exact" if row["exact"] else "at least"
    columns = ("stripped", "text", "gzip", "exact", "without", "units")
    common.table(rows, columns, arguments.json)
    return 0


def _row(marginal: MarginalSize) -> dict[str, Any]:
    return {
        "target": marginal.target,
        "saved": dict(marginal.saved),
        "dropped": list(marginal.dropped),
        "recompiled": list(marginal.recompiled),
        "kept": list(marginal.kept),
        "exact": marginal.exact,
    }


_FORM: Mapping[str, Any] = {
    "target": str,
    "saved": Each(int),
    "dropped": [str],
    "recompiled": [str],
    "kept": [str],
}


def parse_marginal_sizes(path: Path) -> list[MarginalSize]:
    """Reads what this command prints as JSON; raises InvalidInput where it is something else."""
    try:
        rows = json.loads(files.read_json(path))
        json_form.check(rows, [_FORM], "marginal_sizes")
        if any(sorted(row["saved"]) != sorted(MEASURES) for row in rows):
            raise ValueError(f"saved: {', '.join(MEASURES)} were expected")
        return [
            MarginalSize(
                r["target"],
                r["saved"],
                tuple(r["dropped"]),
                tuple(r["recompiled"]),
                tuple(r["kept"]),
            )
            for r in rows
        ]
    except (ValueError, KeyError, RecursionError) as error:
        raise InvalidInput(
            f"{path}: no marginal_sizes: {error}: make them with size-marginal --json"
        ) from None
