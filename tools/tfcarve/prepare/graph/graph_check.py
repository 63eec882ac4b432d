"""Checks that a graph is valid."""

from collections.abc import Iterable

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Graph, ref, require_new, topological_order
from tfcarve.prepare.graph.messages import NodeDef


def check(graph: Graph) -> None:
    """Checks that node names are unique, all inputs exist and there is no cycle.

    Raises InvalidInput with the node's name otherwise.
    """
    seen: set[str] = set()
    for node in graph.nodes:
        require_new(node.name, seen)
        seen.add(node.name)
    for node in graph.nodes:
        for text in node.input:
            if ref(text).node not in seen:
                raise InvalidInput(
                    f"node {node.name!r}: its input {text!r} is not a node of the graph"
                    f"{nearest(ref(text).node, seen)}"
                )
    topological_order(graph)


def check_constants(nodes: Iterable[NodeDef]) -> None:
    """Checks that the values of each Const match its shape and are not too many; raises InvalidInput otherwise."""
    for node in nodes:
        if node.op == "Const" and "value" in node.attr and node.attr["value"].HasField("tensor"):
            tensors.check_size(node.attr["value"].tensor, node.name)
