"""Removes nodes that a transform left without consumers."""

from collections.abc import Collection, Container

from tfcarve.prepare.graph.graph import Graph, consumer_counts, ref, topological_order


def without_unused(
    graph: Graph, ops: Collection[str], was_read: Container[str], preserved: Container[str]
) -> Graph:
    """Returns the graph without the nodes that lost all consumers.

    Args:
      graph: the transformed graph.
      ops: the ops of the nodes that may be removed.
      was_read: the names of the nodes that had a consumer before the transform.
      preserved: the names of the nodes that must stay.
    """
    counts = consumer_counts(graph)
    removed: set[str] = set()
    for node in reversed(topological_order(graph)):
        is_unread = node.name in was_read and not counts.get(node.name)
        if is_unread and node.op in ops and node.name not in preserved:
            removed.add(node.name)
            for text in node.input:
                counts[ref(text).node] -= 1
    return graph.with_nodes(node for node in graph.nodes if node.name not in removed)
