"""`tfcarve explain`: the nodes that need an op, a kernel class or a source file."""

import argparse
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

from tfcarve.commands import common
from tfcarve.errors import CheckFailed, Problem
from tfcarve.nearest import suggestion
from tfcarve.releases import known
from tfcarve.releases.release import Release
from tfcarve.selection import runtime_rules
from tfcarve.selection.need import Need
from tfcarve.selection.selection import SelectedKernel, Selection

NAME = "explain"
HELP = "shows why an op, a kernel class or a source file is in a selection"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "what",
        metavar="OP|CLASS|FILE",
        help="an op, a kernel class or a source file",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _row(
    what: str, file: str, why: str, need: Need | None = None, node: str = ""
) -> dict[str, object]:
    return {
        "what": what,
        "file": file,
        "model": need.model if need else "",
        "function": need.function if need else "",
        "node": need.node if need else node,
        "why": why,
    }


def _left_over(selection: Selection) -> Mapping[tuple[str, Need], str]:
    """Returns a text for each op and node that is left over from training: its kind and the way to remove it."""
    return {
        (left.op, need): f"; left over from training ({left.kind}), removed by {left.transform}"
        for left in selection.leftovers
        for need in left.needed_by
    }


def _op_rows(selection: Selection, what: str) -> Iterator[dict[str, object]]:
    left = _left_over(selection)
    for op in selection.ops:
        if what in (op.name, op.file):
            why = f"defines the op {op.name}"
            if op.system:
                why += ", which its file always registers"
            for need in op.needed_by:
                yield _row(f"op {op.name}", op.file, why + left.get((op.name, need), ""), need)


def _kernel_rows(
    selection: Selection, kernels: Iterable[SelectedKernel]
) -> Iterator[dict[str, object]]:
    left = _left_over(selection)
    for kernel in kernels:
        types = " ".join(f"{a}={'|'.join(t)}" for a, t in kernel.constraints.items())
        why = "; ".join(kernel.why) + (f"; registered for {types}" if types else "")
        for need in kernel.needed_by:
            more = left.get((kernel.op, need), "")
            yield _row(f"kernel {kernel.clazz}", kernel.file, why + more, need)
        if not kernel.needed_by:
            yield _row(f"kernel {kernel.clazz}", kernel.file, why, node=f"of op {kernel.op}")


def _added_rows(
    selection: Selection, release: Release, ops: Container[str]
) -> Iterator[dict[str, object]]:
    rules = {rule.id: rule for rule in runtime_rules.load(release)}
    for added in selection.added_by_runtime:
        if added.op in ops:
            rule = rules.get(added.rule)
            why = f"{rule.why} ({rule.source})" if rule else "an ops list requests training"
            yield _row(f"op {added.op}", "", why, node=f"runtime: {added.rule}")


def rows(selection: Selection, release: Release, what: str) -> Iterator[dict[str, object]]:
    """Yields a row for each reason why the op, class or file `what` is in `selection`, which was made for `release`."""
    squeezed = "".join(what.split())
    kernels = [
        k
        for k in selection.kernels
        if what in (k.op, k.file) or squeezed == "".join(k.clazz.split())
    ]
    shown = {o.name for o in selection.ops if what in (o.name, o.file)}
    yield from _op_rows(selection, what)
    yield from _kernel_rows(selection, kernels)
    yield from _added_rows(selection, release, shown | {k.op for k in kernels})
    for file, helpers in selection.helpers_of.items():
        if what in helpers:
            why = f"{file} uses symbols that it defines"
            yield _row("helper source", what, why)


def run(arguments: argparse.Namespace) -> int:
    """Prints the table."""
    selection = common.load_selection(arguments.selection)
    release = known.for_version(selection.tensorflow.version)
    found = list(rows(selection, release, arguments.what))
    if not found:
        names = sorted(
            {o.name for o in selection.ops}
            | {k.clazz for k in selection.kernels}
            | set(selection.files)
        )
        hint = suggestion(arguments.what, names)
        raise CheckFailed(
            "nothing needs it:",
            [Problem(f"{arguments.what!r} is not in {arguments.selection}", (), hint)],
        )
    common.table(found, ("what", "file", "model", "function", "node", "why"), arguments.json)
    return 0
