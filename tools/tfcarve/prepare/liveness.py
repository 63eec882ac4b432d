"""When a node of a graph with Switch and Merge runs at all. Pure.

A node is dead where one of its inputs is. What kills is the branch of a Switch that is not taken; a Merge lives with
either of its inputs. So each tensor has a set of conditions that have to hold, or none that is known.
Source: tensorflow/core/common_runtime/executor.cc, propagator_state.cc (deadness).
"""

from collections.abc import Hashable, Mapping, Sequence

from tfcarve.prepare.graph import CONTROL, Ref, data_inputs, ref
from tfcarve.prepare.messages import NodeDef

Conditions = frozenset[Hashable]

_MOST = 32
_ENTERS = frozenset(("Enter", "RefEnter"))
_SWITCHES = frozenset(("Switch", "RefSwitch"))
# Their conditions are not followed: they have one of their own.
_OPAQUE = frozenset(("Exit", "Merge", "RefExit", "RefMerge", "_SwitchN"))


class Liveness:
    """The conditions under which what nodes give is there."""

    def __init__(self, order: Sequence[NodeDef]) -> None:
        """Finds them for nodes in topological order."""
        self._nodes: dict[str, NodeDef] = {node.name: node for node in order}
        self._of: dict[str, Conditions | None] = {}
        for node in order:
            self._of[node.name] = self._conditions(node)

    def of(self, source: Ref) -> Conditions | None:
        """Returns the conditions for a tensor, or for the end of a node's computation; None: too many to know."""
        node, own = self._nodes[source.node], self._of.get(source.node)
        if own is None or source.output == CONTROL or node.op not in _SWITCHES:
            return own
        return own | {(data_inputs(node)[1], source.output)}

    def of_all(self, sources: Sequence[Ref]) -> Conditions | None:
        """Returns the conditions for all of some."""
        found: Conditions = frozenset()
        for source in sources:
            own = self.of(source)
            if own is None:
                return None
            found |= own
        return found if len(found) <= _MOST else None

    def _conditions(self, node: NodeDef) -> Conditions | None:
        if node.op in _ENTERS:
            return frozenset((("frame", node.attr["frame_name"].s),))
        if node.op in _OPAQUE:
            frame = self._frame(node)
            return frozenset((("frame", frame) if frame else ("node", node.name),))
        return self.of_all([ref(text) for text in node.input])

    def _frame(self, node: NodeDef) -> bytes:
        """Returns the name of the loop whose head `node` is; empty where it is none."""
        if node.op not in ("Merge", "RefMerge"):
            return b""
        for source in data_inputs(node):
            entered: Mapping[str, NodeDef] = self._nodes
            if entered[source.node].op in _ENTERS:
                return entered[source.node].attr["frame_name"].s
        return b""
