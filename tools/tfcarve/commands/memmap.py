"""`tfcarve memmap`: a frozen graph whose constants an app uses in place in the mapped file."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from tfcarve import files
from tfcarve.commands.graph_file import frozen_graph
from tfcarve.emit import aligned_graph
from tfcarve.errors import InvalidInput
from tfcarve.models.wire import Buffer, WireError

NAME = "memmap"
HELP = "writes a frozen graph with its constants aligned, for tfcarve_session_new_from_file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="a frozen GraphDef, .pb")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        required=True,
        help="where to write the graph; can be MODEL itself",
    )


def _counted(data: Buffer, sizes: list[int]) -> Iterator[bytes]:
    for piece in aligned_graph.aligned(data):
        if piece.constant_bytes:
            sizes.append(piece.constant_bytes)
        yield piece.data


def run(arguments: argparse.Namespace) -> int:
    """Writes the graph and prints how many constants are aligned."""
    sizes: list[int] = []
    data = frozen_graph(arguments.model)
    try:
        files.write_pieces(arguments.output, _counted(data, sizes))
    except WireError as error:
        raise InvalidInput(f"{arguments.model}: {error}") from None
    print(f"{len(sizes):,} constants with {sum(sizes):,} bytes are aligned")
    return 0
