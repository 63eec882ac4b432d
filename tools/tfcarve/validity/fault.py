"""A reason why TensorFlow refuses a graph."""

from dataclasses import dataclass

from tfcarve.models.node_use import NodeUse

DAMAGED = "TensorFlow refuses this graph too: export the model again, or correct the program that changed the graph"


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why TensorFlow refuses nodes, and the way to correct it. Several nodes may have the same reason."""

    what: str
    fix: str = DAMAGED


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault for which TensorFlow refuses a graph.

    Attributes:
      function: the function; empty: the graph itself.
      node: the node; empty: the function.
      reason: the reason; other nodes may have it too.
      detail: the fault of this node.
    """

    function: str
    node: str
    reason: Reason
    detail: str


def fault(use: NodeUse, reason: Reason, detail: str) -> Fault:
    """Returns the fault of a node."""
    return Fault(use.function, use.node, reason, detail)
