"""`tfcarve locate`: the files and classes of an op."""

import argparse

from tfcarve.commands import common, index_argument, options
from tfcarve.errors import CheckFailed, Problem
from tfcarve.nearest import suggestion
from tfcarve.selection.lookup import Lookup
from tfcarve.selection.missing import unknown_op

NAME = "locate"
HELP = "shows where ops are defined, and the classes and files of their kernels"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("ops", nargs="+", metavar="OP", help="name of an op")
    parser.add_argument("--json", action="store_true", help="prints JSON")
    parser.add_argument(
        "--device",
        default="CPU",
        help="shows kernels of this device type and of DEFAULT; all: of every device type (default: CPU)",
    )
    options.add_index(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the table."""
    requested = index_argument.read(arguments)
    index = requested.load()
    rows: list[dict[str, object]] = []
    problems = []
    for name in arguments.ops:
        op = index.op(name)
        if op is None:
            hint = suggestion(name, index.op_names())
            problems.append(Problem(unknown_op(name, Lookup(index, requested.release)), (), hint))
            continue
        rows.append(
            {
                "op": name,
                "what": "definition",
                "file": f"{op.file}:{op.line}",
                "class": "",
                "for": "",
            }
        )
        for r in index.registrations_of(name):
            if arguments.device != "all" and r.device not in (arguments.device, "DEFAULT"):
                continue
            types = [f"{a}={'|'.join(t)}" for a, t in r.constraints.items()]
            types += [f"{a}={'|'.join(map(str, v))}" for a, v in r.attr_constraints.items()]
            types += [f"label={r.label}"] if r.label else []
            rows.append(
                {
                    "op": name,
                    "what": f"{r.device} kernel",
                    "file": f"{r.file}:{r.line}",
                    "class": r.clazz,
                    "for": " ".join(types),
                }
            )
    if problems:
        raise CheckFailed("not found:", problems)
    common.table(rows, ("op", "what", "file", "class", "for"), arguments.json)
    return 0
