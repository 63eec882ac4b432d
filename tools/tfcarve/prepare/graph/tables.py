"""Lookup tables that a graph reads before it initializes them. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.validity.tables import INITIALIZERS, TABLES, UnreadyTable, unready_tables

# TensorFlow's message about a lookup in such a table.
NOT_INITIALIZED = "able not initialized"
# The attributes that identify a table which several nodes create.
_KEYS = ("container", "shared_name")


def _uses(nodes: Iterable[NodeDef], function: str) -> Iterator[NodeUse]:
    for node in nodes:
        attrs = {
            key: AttrValue("string", node.attr[key].s.decode(errors="replace"))
            for key in (_KEYS if node.op in TABLES else ())
            if key in node.attr
        }
        yield NodeUse("", function, node.name, node.op, "", attrs, tuple(node.input))


def initializers(graph: Graph) -> frozenset[str]:
    """Returns the nodes that initialize tables of the graph."""
    return frozenset(node.name for node in graph.nodes if node.op in INITIALIZERS)


def require_initialized(
    graph: Graph, before: frozenset[str], outputs: Sequence[str], model: Path
) -> None:
    """Checks that a transformed graph can initialize the tables that it reads.

    Args:
      graph: the transformed graph.
      before: the nodes that initialized tables before.
      outputs: the tensors that the app fetches.
      model: the file that was transformed.

    Raises:
      InvalidInput: nothing initializes a table.
    """
    for table in unready(graph):
        if table.initializers:
            continue
        if not before:
            raise InvalidInput(f"{table.what()}: {table.fix(str(model))}")
        raise InvalidInput(
            f"the transforms remove the initializer of lookup table {table.table!r}, because no output needs it: replace "
            f"lookup tables by constants first: tfcarve freeze {model} --outputs {','.join(outputs)} -o OUT"
        )


def unready(graph: Graph) -> list[UnreadyTable]:
    """Returns the tables that a lookup reads without depending on an initializer."""
    if not any(node.op in TABLES for node in graph.nodes):
        return []
    uses = list(_uses(graph.nodes, ""))
    for function in graph.library.function:
        uses += _uses(function.node_def, function.signature.name)
    return unready_tables(uses)
