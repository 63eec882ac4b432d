"""The default inputs and outputs of a graph."""

from tfcarve.prepare.graph.graph import Graph, consumer_counts


def inputs(graph: Graph) -> list[str]:
    """Returns the names of all Placeholders."""
    return [node.name for node in graph.nodes if node.op == "Placeholder"]


def outputs(graph: Graph) -> list[str]:
    """Returns the names of the nodes that no other node reads."""
    counts = consumer_counts(graph)
    return [
        node.name
        for node in graph.nodes
        if node.name not in counts and node.op not in ("Const", "NoOp")
    ]
