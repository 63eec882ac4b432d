"""Nodes whose tensors cannot be fetched: those in loops and in branches. Pure."""

from collections.abc import Sequence

from tfcarve.prepare.graph import ref
from tfcarve.prepare.messages import NodeDef

_MERGES = frozenset(("Merge", "RefMerge"))


def in_loops(order: Sequence[NodeDef]) -> set[str]:
    """Returns the names of nodes in a loop's frame: they have a value for each iteration.

    Args:
      order: the nodes in topological order.
    """
    depths: dict[str, int] = {}
    for node in order:
        depth = max((depths.get(ref(text).node, 0) for text in node.input), default=0)
        change = node.op.endswith("Enter") - node.op.endswith("Exit")
        depths[node.name] = max(depth + change, 0)
    return {name for name, depth in depths.items() if depth}


def in_branches(order: Sequence[NodeDef]) -> set[str]:
    """Returns the names of nodes between a Switch and its Merge: they may have no value. Loops are left out."""
    loops = in_loops(order)
    depths: dict[str, int] = {}
    for node in order:
        depth = max((depths.get(ref(text).node, 0) for text in node.input), default=0)
        if node.name not in loops:
            depth = max(depth + node.op.endswith("Switch") - (node.op in _MERGES), 0)
        depths[node.name] = depth
    return {name for name, depth in depths.items() if depth}


def without_value(order: Sequence[NodeDef]) -> set[str]:
    """Returns the names of nodes that do not have one value in each run: those in loops and branches."""
    return in_loops(order) | in_branches(order)
