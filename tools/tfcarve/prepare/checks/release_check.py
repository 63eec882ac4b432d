"""Fits graphs to the TensorFlow that is built: refuses nodes that it cannot compute, and drops attributes that it lacks."""

from collections.abc import Iterable

from tfcarve.errors import InvalidInput
from tfcarve.models import versions
from tfcarve.models.wire import WireError
from tfcarve.newer import graph as newer_graph
from tfcarve.newer import graph_version
from tfcarve.newer.data import Newer
from tfcarve.prepare.graph.functions import used_functions
from tfcarve.prepare.graph.graph import Graph, reachable, ref


def _require_versions(graph: Graph, newer: Newer) -> None:
    try:
        found = versions.of_graph(graph.versions, 0, len(graph.versions))
    except WireError as error:
        raise InvalidInput(f"the versions of the graph are damaged: {error}") from None
    graph_version.require(found, newer.data)


def require(graph: Graph, inputs: Iterable[str], outputs: Iterable[str], newer: Newer) -> None:
    """Raises InvalidInput if the release refuses a graph, or computes other outputs.

    Args:
      graph: the graph.
      inputs: the tensors that the app feeds.
      outputs: the tensors that the app fetches.
      newer: the ops and attributes that are newer than the release.
    """
    _require_versions(graph, newer)
    fed = {ref(name).node for name in inputs}
    names = reachable(graph, {ref(name).node for name in outputs}, fed)
    needed = graph.with_nodes(node for node in graph.nodes if node.name in names)
    functions = used_functions(needed).function
    newer_graph.findings(needed.nodes, functions, newer).require()


def finish(graph: Graph, newer: Newer) -> tuple[bool, tuple[str, ...]]:
    """Removes attributes that the release does not have from a graph that is complete.

    Args:
      graph: the graph; its nodes are changed.
      newer: the ops and attributes that are newer than the release.

    Returns:
      Whether there were any, and notes about the ops that the release does not have.

    Raises:
      InvalidInput: the release refuses the graph, or a node computes other values without one of its attributes.
    """
    _require_versions(graph, newer)
    dropped = newer_graph.drop(graph.nodes, graph.library.function, newer)
    found = newer_graph.findings(graph.nodes, graph.library.function, newer)
    found.require()
    return dropped, found.ops
