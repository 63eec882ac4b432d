"""`tfcarve memmap`: a frozen graph whose constants an app uses in place in the mapped file."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from tfcarve import files
from tfcarve.commands import options
from tfcarve.commands.graph_file import frozen_graph
from tfcarve.emit import aligned_graph, memmapped_package
from tfcarve.emit.constant_node import Piece
from tfcarve.errors import InvalidInput
from tfcarve.models.wire import WireError

NAME = "memmap"
HELP = "writes a frozen graph with its constants aligned, for tfcarve_session_new_from_file"


_FORMATS = {"aligned": aligned_graph.aligned, "tensorflow": memmapped_package.package}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="a frozen GraphDef, .pb")
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        default="aligned",
        help="aligned: a GraphDef; tensorflow: a file for TensorFlow's MemmappedEnv (default: %(default)s)",
    )
    options.add_output(parser, "the graph, also MODEL itself", required=True)


def _counted(pieces: Iterator[Piece], sizes: list[int]) -> Iterator[bytes]:
    for piece in pieces:
        if piece.constant_bytes:
            sizes.append(piece.constant_bytes)
        yield piece.data


def run(arguments: argparse.Namespace) -> int:
    """Writes the graph and prints how many constants are aligned."""
    sizes: list[int] = []
    data = frozen_graph(arguments.model)
    try:
        files.write_pieces(arguments.output, _counted(_FORMATS[arguments.format](data), sizes))
    except WireError as error:
        raise InvalidInput(f"{arguments.model}: {error}") from None
    print(f"{len(sizes):,} constants with {sum(sizes):,} bytes are aligned")
    return 0
