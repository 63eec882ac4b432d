"""`tfcarve explain`: who needs an op or a kernel class."""

import argparse
import difflib
from collections.abc import Iterator
from pathlib import Path

from tfcarve.commands import common
from tfcarve.errors import AnswerIsNo, Problem
from tfcarve.selection import runtime_rules
from tfcarve.selection.selection import Need, Selection

NAME = "explain"
HELP = "shows why an op, a kernel class or a source file is in a selection"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "what",
        metavar="OP|CLASS|FILE",
        help="an op, a kernel class as it stands in the selection, or a source file",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _row(what: str, file: str, need: Need) -> dict[str, object]:
    return {
        "what": what,
        "file": file,
        "model": need.model,
        "function": need.function,
        "node": need.node,
        "why": "the node's op",
    }


def rows(selection: Selection, what: str) -> Iterator[dict[str, object]]:
    """Yields a row for each reason why the op, class or file `what` is in `selection`."""
    squeezed = "".join(what.split())
    rules = {rule.id: rule for rule in runtime_rules.load()}
    shown: set[str] = set()
    for op in selection.ops:
        if what in (op.name, op.file):
            shown.add(op.name)
            for need in op.needed_by:
                yield _row(f"op {op.name}", op.file, need)
    for kernel in selection.kernels:
        if what in (kernel.op, kernel.file) or squeezed == "".join(kernel.clazz.split()):
            shown.add(kernel.op)
            types = " ".join(f"{a}={'|'.join(t)}" for a, t in kernel.constraints)
            for need in kernel.needed_by:
                row = _row(f"kernel {kernel.clazz}", kernel.file, need)
                row["why"] = f"TensorFlow's choice for {types or 'all types'}" + (
                    f", label {kernel.label}" if kernel.label else ""
                )
                yield row
    for added in selection.added_by_runtime:
        if added.op in shown:
            rule = rules.get(added.rule)
            why = (
                f"{rule.why} ({rule.source})" if rule else "a rule that this tfcarve does not have"
            )
            yield {
                "what": f"op {added.op}",
                "file": "",
                "model": "",
                "function": "",
                "node": f"runtime: {added.rule}",
                "why": why,
            }
    if what in selection.helpers:
        yield {
            "what": "helper source",
            "file": what,
            "model": "",
            "function": "",
            "node": "",
            "why": "other selected sources need it to link",
        }


def run(arguments: argparse.Namespace) -> int:
    """Prints the table."""
    selection = common.load_selection(arguments.selection)
    found = list(rows(selection, arguments.what))
    if not found:
        known = sorted(
            {o.name for o in selection.ops}
            | {k.clazz for k in selection.kernels}
            | set(selection.files)
        )
        near = difflib.get_close_matches(arguments.what, known, n=3)
        hint = f"did you mean {', '.join(near)}?" if near else ""
        raise AnswerIsNo(
            "nothing needs it:",
            [Problem(f"{arguments.what!r} is not in {arguments.selection}", (), hint)],
        )
    common.table(found, ("what", "file", "model", "function", "node", "why"), arguments.json)
    return 0
