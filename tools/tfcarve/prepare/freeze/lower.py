"""Lowers While, If and Case to Switch, Merge, Enter and Exit with TensorFlow's own pass."""

import tempfile
from collections.abc import Iterable
from pathlib import Path

from tfcarve import full_tensorflow
from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.ops import CONTROL_FLOW
from tfcarve.prepare.freeze.prune import needed
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import GraphDef
from tfcarve.prepare.graph.saved_model_messages import MetaGraphDef

_PROGRAM = "tfcarve.prepare.freeze.lower_program"
_LOWER = "_lower_using_switch_merge"
_ALL = ("", "StatefulPartitionedCall", "PartitionedCall")


def marked(graph: Graph, roots: Iterable[str]) -> bytes:
    """Returns a MetaGraphDef of `graph` for TensorFlow's function optimizer, which keeps the nodes `roots`.

    The nodes of `graph` are modified.
    """
    for nodes in (graph.nodes, *(function.node_def for function in graph.library.function)):
        for node in nodes:
            if node.op in CONTROL_FLOW:
                node.attr[_LOWER].b = True
    meta_graph = MetaGraphDef(graph_def=GraphDef.FromString(graph_file.to_bytes(graph)))
    # Grappler takes the graph's outputs from this collection.
    meta_graph.collection_def["train_op"].node_list.value.extend(roots)
    return meta_graph.SerializeToString()


def finished(optimized: bytes, roots: Iterable[str], versions: bytes) -> Graph:
    """Returns the result of TensorFlow's function optimizer without nodes and functions that the nodes `roots` do not need.

    Args:
      optimized: a GraphDef.
      roots: names of nodes.
      versions: the versions of the graph.
    Raises InvalidInput if it has control flow or calls functions.
    """
    created = GraphDef.FromString(optimized)
    names = needed(created.node, roots)
    functions = {function.signature.name for function in created.library.function}
    nodes = [node for node in created.node if node.name in names]
    for node in nodes:
        node.device = ""
        for key in [key for key in node.attr if key.startswith("_")]:
            del node.attr[key]
        if node.op in CONTROL_FLOW or node.op in functions or node.op in _ALL:
            raise InvalidInput(
                f"node {node.name!r}: {node.op} cannot be lowered: remove --lower-control-flow"
            )
    return Graph(nodes, versions=versions)


def _optimized(data: bytes) -> bytes:
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as name:
        source, result = Path(name, "graph.pb"), Path(name, "lowered.pb")
        source.write_bytes(data)
        limits = full_tensorflow.Limits.of_model(len(data))
        try:
            full_tensorflow.run(_PROGRAM, [source, result], name, limits)
        except full_tensorflow.Failed as failed:
            raise InvalidInput(f"control flow cannot be lowered: {failed}") from None
        return result.read_bytes()


def lowered(graph: Graph, inputs: Iterable[str], outputs: Iterable[str]) -> Graph:
    """Returns `graph` without functional control flow and without functions.

    Args:
      graph: a graph; its nodes are modified.
      inputs: names of Placeholders, which stay.
      outputs: names of the output nodes.
    Raises InvalidInput if TensorFlow cannot lower the control flow.
    """
    roots = [*outputs, *inputs]
    return finished(_optimized(marked(graph, roots)), roots, graph.versions)
