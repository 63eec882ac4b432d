"""Options of the commands that prepare models (--inputs, --outputs), and the packages that these require."""

import argparse
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.commands.freeze_options import names
from tfcarve.errors import InvalidInput

if TYPE_CHECKING:
    from tfcarve.prepare.graph.graph import Graph
    from tfcarve.prepare.source import Source


def require_packages() -> None:
    """Raises InvalidInput, with the command that installs them, if numpy or protobuf is not installed."""
    missing = [name for name in ("numpy", "google.protobuf") if not _is_installed(name)]
    if missing:
        raise InvalidInput(
            f"{' and '.join(missing)}: not installed in {sys.executable}: pip install 'tfcarve[tensorflow]'"
        )


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # its parent package is missing
        return False


def add_ends(parser: argparse.ArgumentParser) -> None:
    """Declares --inputs and --outputs."""
    parser.add_argument(
        "--inputs",
        type=names,
        default=(),
        metavar="A,B",
        help="nodes that the app feeds, separated by commas; of a SavedModel or Keras file: inputs of the signature "
        "(default: all of them, or all Placeholders)",
    )
    parser.add_argument(
        "--outputs",
        type=names,
        default=(),
        metavar="C,D",
        help="nodes that the app fetches; of a SavedModel or Keras file: outputs of the signature (default: all of them, "
        "or the nodes that no node reads)",
    )


def ends(graph: "Graph", source: "Source", model: Path) -> tuple[list[str], list[str]]:
    """Returns the inputs and outputs of a model's graph: the requested ones, or all.

    Raises InvalidInput, with the path `model`, if it has no outputs.
    """
    from tfcarve.models.node_names import meant
    from tfcarve.prepare.graph import endpoints

    nodes = {node.name for node in graph.nodes}
    inputs, outputs = (
        [meant(name, nodes, {}) for name in side] for side in (source.inputs, source.outputs)
    )
    inputs, outputs = inputs or endpoints.inputs(graph), outputs or endpoints.outputs(graph)
    if not outputs:
        raise InvalidInput(f"{model}: every node is read by another: pass --outputs")
    return inputs, outputs
