"""`tfcarve freeze`: converts a model to a GraphDef with constants for its variables."""

import argparse
from pathlib import Path

from tfcarve.commands import freeze_options, prepare_options
from tfcarve.commands.options import add_output
from tfcarve.errors import InvalidInput
from tfcarve.printable import printable

NAME = "freeze"
HELP = "writes a model as a frozen GraphDef: its variables and tables become constants"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "source",
        type=Path,
        metavar="SOURCE",
        help="SavedModel directory, Keras .keras or .h5, GraphDef .pb, .pbtxt or .pb.txt, MetaGraphDef .meta",
    )
    add_output(parser, "the frozen GraphDef", required=True)
    freeze_options.add_graph(parser)
    freeze_options.add_tensors(parser)
    freeze_options.add_freeze(parser)
    parser.add_argument("--json", action="store_true", help="prints JSON")


def run(arguments: argparse.Namespace) -> int:
    """Writes the frozen graph and prints its inputs and outputs."""
    prepare_options.require_packages()
    from msgspec import structs

    from tfcarve.commands import common
    from tfcarve.prepare.freeze import source
    from tfcarve.prepare.freeze.run import freeze
    from tfcarve.releases import known

    if arguments.output.is_dir():
        raise InvalidInput(f"{arguments.output}: is a directory: expected a file")
    options = freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, arguments.outputs
    )
    source.require_signatures(arguments.source, options)
    found = freeze(arguments.source, arguments.output, known.release(), options)
    common.notes((*found.notes, *found.newer))
    rows = [
        {"kind": kind, **structs.asdict(tensor)}
        for kind, side in (("input", found.inputs), ("output", found.outputs))
        for tensor in side
    ]
    if arguments.json or rows:
        common.table(rows, ("kind", "name", "dtype", "shape"), arguments.json)
    else:
        how = "without attributes that are too new" if found.dropped else "unchanged"
        print(printable(f"{arguments.source}: is already frozen: copied {how}"))
    for row in () if arguments.json else rows:
        if row["name"] != row["given"]:
            print(printable(f"the {row['kind']} {row['given']!r} is the node {row['name']!r}"))
    return 0
