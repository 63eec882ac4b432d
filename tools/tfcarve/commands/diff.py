"""`tfcarve diff`: compares two graphs node by node."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.commands import common, prepare_options
from tfcarve.printable import printable

if TYPE_CHECKING:
    from tfcarve.prepare.differences.diff import Change, OpCount

NAME = "diff"
HELP = "shows the nodes that differ between two graphs, and the number and bytes of each op's nodes"

_MARKS = {"added": "+", "removed": "-", "changed": "~"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    for name in ("a", "b"):
        parser.add_argument(
            name,
            type=Path,
            metavar=name.upper(),
            help="a GraphDef, or a model, which is frozen first",
        )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _show_changes(found: "list[Change]") -> None:
    for change in found:
        print(printable(f"{_MARKS[change.kind]} {change.node} ({change.op})"))
        for what, before, after in change.details:
            print(printable(f"    {what}: {before or '(none)'} -> {after or '(none)'}"))
    counts = {kind: sum(change.kind == kind for change in found) for kind in _MARKS}
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


def _show_counts(counts: "list[OpCount]") -> None:
    def row(op: str, listed: "list[OpCount]") -> dict[str, str]:
        nodes = [sum(count.nodes[side] for count in listed) for side in (0, 1)]
        sizes = [sum(count.bytes[side] for count in listed) for side in (0, 1)]
        return {
            "op": op,
            "nodes": f"{nodes[0]:,} -> {nodes[1]:,}",
            "bytes": f"{sizes[0]:,} -> {sizes[1]:,}",
        }

    rows = [row(count.op, [count]) for count in counts]
    common.table([*rows, row("all", counts)], ("op", "nodes", "bytes"), False)


def run(arguments: argparse.Namespace) -> int:
    """Prints the differences."""
    prepare_options.require_packages()
    from tfcarve import json_codec
    from tfcarve.prepare.differences import diff, diff_report
    from tfcarve.prepare.source import read_source
    from tfcarve.releases import known

    release = known.release()
    (a, _), (b, _) = read_source(arguments.a, release), read_source(arguments.b, release)
    found, counts = diff.changes(a, b), diff.op_counts(a, b)
    if arguments.json:
        common.output(json_codec.encode(diff_report.document(found, counts)), None)
        return 0
    _show_changes(found)
    _show_counts(counts)
    return 0
