"""Drops attributes that a release does not have from the messages of a graph.

Source: RemoveNewDefaultAttrsFromGraphDef in tensorflow/core/framework/graph_def_util.cc.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from tfcarve.models.node_use import NodeUse
from tfcarve.newer import check
from tfcarve.newer.check import Findings
from tfcarve.newer.data import Newer
from tfcarve.newer.values import value_of

# Messages of tfcarve.prepare.graph.messages.
NodeDef = Any
FunctionDef = Any


def _nodes(
    nodes: Iterable[NodeDef], functions: Iterable[FunctionDef]
) -> Iterator[tuple[str, NodeDef]]:
    """Yields each node that is not a call, with the name of the function that contains it."""
    bodies = [(function.signature.name, function.node_def) for function in functions]
    called = {name for name, _ in bodies}
    for name, body in (("", nodes), *bodies):
        yield from ((name, node) for node in body if node.op not in called)


def findings(nodes: Iterable[NodeDef], functions: Iterable[FunctionDef], newer: Newer) -> Findings:
    """Returns the newer ops and attributes of the nodes of a graph and its functions."""
    return check.findings(_uses(nodes, functions, newer), newer)


def _uses(
    nodes: Iterable[NodeDef], functions: Iterable[FunctionDef], newer: Newer
) -> Iterator[NodeUse]:
    """Yields the nodes with a newer op or newer attributes, with only the newer attributes."""
    for function, node in _nodes(nodes, functions):
        rows = newer.attributes.get(node.op, ())
        attrs = {name: value_of(node.attr[name]) for name in rows if name in node.attr}
        if attrs or node.op in newer.ops:
            yield NodeUse("", function, node.name, node.op, node.device, attrs)


def drop(nodes: Iterable[NodeDef], functions: Iterable[FunctionDef], newer: Newer) -> bool:
    """Removes the attributes that a release does not have and that change nothing; returns whether there were any."""
    dropped = False
    for _, node in _nodes(nodes, functions):
        for name, row in newer.attributes.get(node.op, {}).items():
            if name in node.attr and newer.is_droppable(row, value_of(node.attr[name])):
                del node.attr[name]
                dropped = True
    return dropped
