"""Decides which nodes quantize_nodes replaces. Pure."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.quantize.quantized_ops import DEPTHWISE

# Ops with weights: they gain most. Other ops are quantized only between them.
_HEAVY = frozenset(("Conv2D", DEPTHWISE, "MatMul"))


@dataclass(frozen=True)
class Plan:
    """The nodes that are quantized.

    Attributes:
      replaced: the names of the nodes that are replaced.
      read: the names of the nodes whose outputs a replaced node reads quantized.
    """

    replaced: Collection[str]
    read: Collection[str]


def is_heavy(node: NodeDef) -> bool:
    """Returns whether a node is quantized even if the nodes around it are not."""
    return node.op in _HEAVY


def plan(
    order: Sequence[NodeDef],
    operands: Mapping[str, Sequence[Ref]],
    is_always: Callable[[NodeDef], bool],
) -> Plan:
    """Returns the plan: it replaces the `is_always` nodes, and others if they are between two replaced nodes.

    A single float op would become a conversion, a less precise op and a conversion back.

    Args:
      order: the nodes in topological order.
      operands: for each node that can be replaced, the tensors that it then reads quantized, without constants.
      is_always: whether a node is always replaced.
    """
    wanted: set[str] = set()
    wanted_inputs: set[str] = set()
    for node in reversed(order):
        if node.name in operands and (is_always(node) or node.name in wanted_inputs):
            wanted.add(node.name)
            wanted_inputs |= {source.node for source in operands[node.name]}
    replaced: set[str] = set()
    for node in order:
        if node.name in wanted and (
            is_always(node) or any(source.node in replaced for source in operands[node.name])
        ):
            replaced.add(node.name)
    read = {source.node for name in replaced for source in operands[name]}
    return Plan(replaced, read)
