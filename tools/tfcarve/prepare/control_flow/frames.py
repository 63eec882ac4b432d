"""The frames of loops, and the nodes in loops and in branches, whose tensors cannot be fetched. Pure.

Each loop of Enter, Merge, Switch, NextIteration and Exit has a frame, in which its nodes run once for each iteration.
Source: BuildControlFlowInfo and ValidateControlFlowInfo in tensorflow/core/graph/control_flow.cc.
"""

from collections.abc import Sequence

from tfcarve.control_flow import ENTERS, EXITS, MERGES
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import ref
from tfcarve.prepare.graph.messages import NodeDef

# The frame of the nodes outside of loops.
_OUTSIDE = ""


def _shown(frame: str) -> str:
    return f"in the loop {frame!r}" if frame else "outside of loops"


class Frames:
    """The frame of each node.

    Attributes:
      faults: why TensorFlow rejects the graph, by node.
    """

    def __init__(self, order: Sequence[NodeDef]) -> None:
        """Takes the nodes in topological order."""
        self.faults: dict[str, str] = {}
        self._of: dict[str, str] = {}
        self._parents: dict[str, str] = {}
        self._conditions: dict[str, str] = {}
        if any(node.op in ENTERS for node in order):
            for node in order:
                self._of[node.name] = self._after(node, self._around(node))
            for node in order:
                self._require_one_frame(node)

    def of(self, name: str) -> str:
        """Returns the name of the frame in which a node's outputs are; empty: outside of loops."""
        return self._of.get(name, _OUTSIDE)

    def _around(self, node: NodeDef) -> str:
        """Returns the frame of a node's inputs; if they are in different frames, the frame of a loop."""
        frames = (self._of.get(ref(text).node, _OUTSIDE) for text in node.input)
        return next((frame for frame in frames if frame), _OUTSIDE)

    def _after(self, node: NodeDef, around: str) -> str:
        """Returns the frame of the outputs of a node whose inputs are in the frame `around`."""
        if node.op in EXITS:
            return self._parents.get(around, _OUTSIDE)
        if node.op == "LoopCond":
            self._require_one_condition(node, around)
        if node.op not in ENTERS:
            return around
        frame = nodes.text(node, "frame_name")
        if not frame:
            self.faults.setdefault(node.name, f"this {node.op} has no frame_name")
            return around
        parent = self._parents.setdefault(frame, around)
        if parent != around:
            what = f"the loop {frame!r} is {_shown(parent)} for another {node.op}, and {_shown(around)} for this one"
            self.faults.setdefault(node.name, what)
        return frame

    def _require_one_condition(self, condition: NodeDef, frame: str) -> None:
        """Reports a second LoopCond, unless it counts iterations for gradients."""
        first = self._conditions.setdefault(frame, condition.name)
        if first != condition.name and "LoopCounter" not in first + condition.name:
            what = f"the loop {frame!r} has another LoopCond, {first!r}"
            self.faults.setdefault(condition.name, what)

    def _require_one_frame(self, node: NodeDef) -> None:
        """Reports a node with inputs in different frames."""
        by_frame = {self.of(ref(text).node): ref(text).node for text in node.input}
        if len(by_frame) > 1:
            (one, name), (other, other_name), *_ = by_frame.items()
            self.faults.setdefault(
                node.name,
                f"its input {name!r} is {_shown(one)}, and its input {other_name!r} is {_shown(other)}",
            )


def in_loops(order: Sequence[NodeDef]) -> set[str]:
    """Returns the names of nodes in a loop's frame: they have a value for each iteration."""
    frames = Frames(order)
    return {node.name for node in order if frames.of(node.name)}


def in_branches(order: Sequence[NodeDef]) -> set[str]:
    """Returns the names of nodes between a Switch and its Merge: they may have no value. Loops are left out.

    Args:
      order: the nodes in topological order.
    """
    loops = in_loops(order)
    depths: dict[str, int] = {}
    for node in order:
        depth = max((depths.get(ref(text).node, 0) for text in node.input), default=0)
        if node.name not in loops:
            depth = max(depth + node.op.endswith("Switch") - (node.op in MERGES), 0)
        depths[node.name] = depth
    return {name for name, depth in depths.items() if depth}


def without_value(order: Sequence[NodeDef]) -> set[str]:
    """Returns the names of nodes that do not have one value in each run: the nodes in loops and branches."""
    return in_loops(order) | in_branches(order)
