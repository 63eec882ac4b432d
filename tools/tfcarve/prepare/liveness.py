"""The conditions under which a node of a graph with Switch and Merge runs. Pure.

A node is dead if one of its inputs is dead. The branch of a Switch that is not taken is dead; a Merge is alive if any
of its inputs is. So each tensor has a set of conditions that must hold, or None if they are unknown.
Source: tensorflow/core/common_runtime/executor.cc, propagator_state.cc (deadness).
"""

from collections.abc import Hashable, Mapping, Sequence

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import CONTROL, Ref, data_inputs, ref
from tfcarve.prepare.messages import NodeDef

Conditions = frozenset[Hashable]

_MAX_CONDITIONS = 32
_ENTERS = frozenset(("Enter", "RefEnter"))
_SWITCHES = frozenset(("Switch", "RefSwitch"))
# Ops whose inputs are not followed: each node is a condition of its own.
_OPAQUE = frozenset(("Exit", "Merge", "RefExit", "RefMerge", "_SwitchN"))


class Liveness:
    """The conditions under which nodes are alive."""

    def __init__(self, order: Sequence[NodeDef]) -> None:
        """Computes the conditions of nodes in topological order; raises InvalidInput if a Switch is damaged."""
        self._nodes: dict[str, NodeDef] = {node.name: node for node in order}
        self._of: dict[str, Conditions | None] = {}
        for node in order:
            self._of[node.name] = self._conditions(node)

    def of(self, source: Ref) -> Conditions | None:
        """Returns the conditions of a tensor or control dependency, or None if there are too many."""
        node, own = self._nodes[source.node], self._of.get(source.node)
        if own is None or source.output == CONTROL or node.op not in _SWITCHES:
            return own
        sources = data_inputs(node)
        if len(sources) != 2:
            raise InvalidInput(
                f"node {node.name!r}: {node.op} has {len(sources)} inputs, not 2: the file is damaged"
            )
        return own | {(sources[1], source.output)}

    def of_all(self, sources: Sequence[Ref]) -> Conditions | None:
        """Returns the conditions under which all `sources` are alive, or None if there are too many."""
        found: Conditions = frozenset()
        for source in sources:
            own = self.of(source)
            if own is None:
                return None
            found |= own
        return found if len(found) <= _MAX_CONDITIONS else None

    def _conditions(self, node: NodeDef) -> Conditions | None:
        if node.op in _ENTERS:
            return frozenset((("frame", node.attr["frame_name"].s),))
        if node.op in _OPAQUE:
            frame = self._frame(node)
            return frozenset((("frame", frame) if frame else ("node", node.name),))
        return self.of_all([ref(text) for text in node.input])

    def _frame(self, node: NodeDef) -> bytes:
        """Returns the frame name of the loop whose head `node` is, or an empty string."""
        if node.op not in ("Merge", "RefMerge"):
            return b""
        for source in data_inputs(node):
            entered: Mapping[str, NodeDef] = self._nodes
            if entered[source.node].op in _ENTERS:
                return entered[source.node].attr["frame_name"].s
        return b""
