"""`tfcarve freeze`: converts a model to a GraphDef with constants for its variables."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.commands import preparing
from tfcarve.errors import InvalidInput
from tfcarve.printable import printable

if TYPE_CHECKING:
    from tfcarve.prepare.freeze.request import Options

NAME = "freeze"
HELP = "writes a model as a frozen GraphDef: its variables and tables become constants"


def _list(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "source",
        type=Path,
        metavar="SOURCE",
        help="SavedModel directory, Keras .keras or .h5, GraphDef .pb or .pbtxt, MetaGraphDef .meta",
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="the frozen GraphDef"
    )
    parser.add_argument(
        "--tags",
        type=_list,
        metavar="TAG[,TAG]",
        help="selects the graph of a SavedModel with exactly these tags (default: serve)",
    )
    parser.add_argument(
        "--signature",
        metavar="NAME",
        help="takes the inputs, the outputs and their names from this signature (default: serving_default)",
    )
    parser.add_argument(
        "--inputs",
        type=_list,
        default=(),
        metavar="TENSOR[,TENSOR]",
        help="tensors that become Placeholders (default: the signature's inputs, or all Placeholders)",
    )
    parser.add_argument(
        "--outputs",
        type=_list,
        default=(),
        metavar="TENSOR[,TENSOR]",
        help="tensors that the graph computes (default: the signature's outputs)",
    )
    parser.add_argument(
        "--checkpoint",
        default="",
        metavar="PREFIX",
        help="reads the variables of a .pb, .pbtxt or .meta from this checkpoint",
    )
    parser.add_argument(
        "--moving-averages",
        action="store_true",
        help="uses the moving averages of variables (ExponentialMovingAverage) that the checkpoint has",
    )
    parser.add_argument(
        "--lower-control-flow",
        action="store_true",
        help="lowers While, If and Case to Switch, Merge, Enter and Exit",
    )
    parser.add_argument(
        "--unroll",
        type=int,
        default=0,
        metavar="N",
        help="unrolls loops with a constant number of iterations, at most N",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _options(arguments: argparse.Namespace) -> "Options":
    from tfcarve.prepare.freeze.request import DEFAULTS, Options

    prefix = arguments.checkpoint
    if arguments.unroll < 0:
        raise InvalidInput(f"--unroll {arguments.unroll}: expected 0 or more")
    return Options(
        tags=DEFAULTS.tags if arguments.tags is None else arguments.tags,
        signature=DEFAULTS.signature if arguments.signature is None else arguments.signature,
        inputs=arguments.inputs,
        outputs=arguments.outputs,
        checkpoint=str(Path(prefix).absolute()) if prefix else "",
        moving_averages=arguments.moving_averages,
        lower_control_flow=arguments.lower_control_flow,
        unroll=arguments.unroll,
    )


def run(arguments: argparse.Namespace) -> int:
    """Writes the frozen graph and prints its inputs and outputs."""
    preparing.require_packages()
    from msgspec import structs

    from tfcarve.commands import common
    from tfcarve.prepare.freeze.run import freeze

    if arguments.output.is_dir():
        raise InvalidInput(f"{arguments.output}: is a directory: expected a file")
    found = freeze(arguments.source, arguments.output, _options(arguments))
    rows = [
        {"kind": kind, **structs.asdict(tensor)}
        for kind, side in (("input", found.inputs), ("output", found.outputs))
        for tensor in side
    ]
    if arguments.json or rows:
        common.table(rows, ("kind", "name", "dtype", "shape"), arguments.json)
    else:
        print(printable(f"{arguments.source}: is already frozen: copied unchanged"))
    return 0
