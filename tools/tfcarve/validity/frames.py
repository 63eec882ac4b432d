"""Checks the loops of Enter, Merge, Switch, NextIteration and Exit. Pure.

The nodes of a loop are in its frame, where they run once for each iteration. All inputs of a node must be in one frame;
only Enter and Exit lead from one frame to another.

Source: BuildControlFlowInfo and ValidateControlFlowInfo in tensorflow/core/graph/control_flow.cc.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tfcarve.control_flow import ENTERS, EXITS
from tfcarve.models.node_use import NodeUse
from tfcarve.validity.fault import Fault, Reason, fault

_DIFFERENT = Reason("a node has inputs from different loops")
_NAMELESS = Reason("an Enter has no frame_name")
_PARENTS = Reason("the Enter nodes of a loop are in different loops")
_CONDITIONS = Reason("a loop has several LoopCond nodes")
# Loops that count iterations for gradients share the frame of the counted loop.
_COUNTER = "LoopCounter"


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame: its name, "" outside of loops, and the frame around it."""

    name: str
    parent: "_Frame | None" = None

    def text(self) -> str:
        return f"in the loop {self.name!r}" if self.name else "outside of loops"


_OUTSIDE = _Frame("")


class _Search:
    """Follows the edges of a graph from the nodes without inputs, as TensorFlow does."""

    def __init__(self, uses: Sequence[NodeUse], sources: Sequence[Sequence[int]]) -> None:
        self._uses = uses
        self._readers: list[list[int]] = [[] for _ in uses]
        for place, each in enumerate(sources):
            for source in dict.fromkeys(each):
                self._readers[source].append(place)
        # For each node that was reached: the frame of its inputs, and the input by which it was reached.
        self._around: dict[int, tuple[_Frame, int]] = {
            place: (_OUTSIDE, place) for place, each in enumerate(sources) if not each
        }
        self._parents: dict[str, str] = {}
        self._conditions: dict[str, str] = {}

    def faults(self) -> Iterator[Fault]:
        ready = list(self._around)
        for place in ready:  # grows
            frame, wrong = self._inside(self._uses[place], self._around[place][0])
            if wrong is not None:
                yield wrong
            left = frame.parent or _OUTSIDE if self._uses[place].op in EXITS else frame
            for reader in self._readers[place]:
                if reader not in self._around:
                    self._around[reader] = left, place
                    ready.append(reader)
                elif self._around[reader][0].name != left.name:
                    yield self._different(reader, place, left)

    def _inside(self, use: NodeUse, around: _Frame) -> tuple[_Frame, Fault | None]:
        """Returns the frame of a node whose inputs are in the frame `around`, and the fault of the node."""
        if use.op == "LoopCond":
            first = self._conditions.setdefault(around.name, use.node)
            if first != use.node and _COUNTER not in first and _COUNTER not in use.node:
                return around, fault(use, _CONDITIONS, f"is in the loop of {first}")
        if use.op not in ENTERS:
            return around, None
        value = use.attrs.get("frame_name")
        name = str(value.value) if value is not None and value.kind == "string" else ""
        if not name:
            return around, fault(use, _NAMELESS, "must have one")
        parent = self._parents.setdefault(name, around.name)
        if parent == around.name:
            return _Frame(name, around), None
        where = f"is {around.text()}, another Enter of {name!r} is {_Frame(parent).text()}"
        return _Frame(name, around), fault(use, _PARENTS, where)

    def _different(self, reader: int, place: int, frame: _Frame) -> Fault:
        before, source = self._around[reader]
        use, one, other = (self._uses[number] for number in (reader, source, place))
        detail = f"{one.node} is {before.text()}, {other.node} is {frame.text()}"
        return fault(use, _DIFFERENT, detail)


def faults(uses: Sequence[NodeUse], sources: Sequence[Sequence[int]]) -> Iterator[Fault]:
    """Yields the nodes for which TensorFlow refuses the loops of a graph.

    Args:
      uses: the nodes.
      sources: for each node, the places in `uses` of the nodes that it depends on.
    """
    if any(use.op in ENTERS for use in uses):
        yield from _Search(uses, sources).faults()
