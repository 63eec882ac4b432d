"""Colocation of nodes: the attribute _class names the nodes that must be on the device of a node."""

from collections.abc import Mapping

from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import NodeDef

# Source: kColocationGroupPrefix in tensorflow/core/graph/graph.cc.
_PREFIX = "loc:@"


def drop_missing_colocations(graph: Graph) -> None:
    """Removes colocation with nodes that do not exist."""
    known = {f"{_PREFIX}{node.name}".encode() for node in graph.nodes}
    prefix = _PREFIX.encode()
    for node in graph.nodes:
        if "_class" not in node.attr:
            continue
        listed = node.attr["_class"].list.s
        left = [raw for raw in listed if raw in known or not raw.startswith(prefix)]
        if not left:
            del node.attr["_class"]
        elif len(left) < len(listed):
            listed[:] = left


def rename_colocations(node: NodeDef, names: Mapping[str, str]) -> None:
    """Renames the nodes with which a node is colocated; `names` maps old names to new names."""
    if "_class" not in node.attr:
        return
    listed = node.attr["_class"].list.s
    for index, raw in enumerate(listed):
        text = raw.decode(errors="replace")
        name = text.removeprefix(_PREFIX)
        if text != name and name in names:
            listed[index] = f"{_PREFIX}{names[name]}".encode()
