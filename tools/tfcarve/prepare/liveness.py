"""The conditions under which a node of a graph with Switch and Merge runs. Pure.

A node is dead if one of its inputs is dead. The branch of a Switch that is not taken is dead; a Merge is alive if any
of its inputs is. So each tensor has a set of conditions that must hold, or None if they are unknown.
Source: tensorflow/core/common_runtime/executor.cc, propagator_state.cc (deadness).
"""

from collections.abc import Container, Hashable, Sequence

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import CONTROL, Ref, control_inputs, data_inputs, ref
from tfcarve.prepare.messages import NodeDef

Conditions = frozenset[Hashable]

_MAX_CONDITIONS = 32
_ENTERS = frozenset(("Enter", "RefEnter"))
_MERGES = frozenset(("Merge", "RefMerge"))
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
        """Returns the conditions of a tensor or control dependency, or None if they are unknown or too many."""
        node, own = self._nodes.get(source.node), self._of.get(source.node)
        if node is None or own is None or source.output == CONTROL or node.op not in _SWITCHES:
            return own
        sources = data_inputs(node)
        if len(sources) != 2:
            raise InvalidInput(
                f"node {node.name!r}: {node.op} has {len(sources)} inputs, not 2: the file is damaged"
            )
        return own | {(self._origin(sources[1]), source.output)}

    def of_all(self, sources: Sequence[Ref]) -> Conditions | None:
        """Returns the conditions under which all `sources` are alive, or None if there are too many."""
        found: Conditions = frozenset()
        for source in sources:
            own = self.of(source)
            if own is None:
                return None
            found |= own
        return found if len(found) <= _MAX_CONDITIONS else None

    def needed(self, node: NodeDef, effects: Container[str]) -> list[str]:
        """Returns the control inputs that a node without side effects needs.

        They are `effects`, nodes that have side effects or depend on one, and nodes that determine whether, or in which frame,
        the node runs.
        """
        alive = self.of_all(data_inputs(node))
        needed: list[str] = []
        for name in sorted(control_inputs(node), key=lambda name: name not in effects):
            required = self.of(Ref(name, CONTROL))
            if name in effects or alive is None or required is None or not required <= alive:
                needed.append(name)
                alive = None if alive is None or required is None else alive | required
        return needed

    def _conditions(self, node: NodeDef) -> Conditions | None:
        if node.op in _ENTERS:
            return frozenset((("frame", node.attr["frame_name"].s),))
        if node.op in _OPAQUE:
            frame = self._frame(node)
            if frame:
                return frozenset((("frame", frame),))
            joined = self._joined(node)
            return frozenset((("node", node.name),)) if joined is None else joined
        return self.of_all([ref(text) for text in node.input])

    def _origin(self, predicate: Ref) -> Ref:
        """Returns the tensor that a predicate is a copy of."""
        node = self._nodes.get(predicate.node)
        while node is not None and node.op == "Identity" and data_inputs(node):
            predicate = data_inputs(node)[0]
            node = self._nodes.get(predicate.node)
        return predicate

    def _joined(self, node: NodeDef) -> Conditions | None:
        """Returns the conditions of a Merge that joins both branches of one predicate; None for any other node."""
        sources = data_inputs(node)
        if node.op not in _MERGES or len(sources) != 2:
            return None
        one, other = map(self.of, sources)
        if one is None or other is None:
            return None
        only_one, only_other = one - other, other - one
        for condition in only_one:
            if isinstance(condition, tuple) and isinstance(condition[0], Ref):
                opposite = (condition[0], 1 - condition[1])
                if only_one == {condition} and only_other == {opposite}:
                    return one & other
        return None

    def _frame(self, node: NodeDef) -> bytes:
        """Returns the frame name of the loop whose head `node` is, or an empty string."""
        if node.op not in _MERGES:
            return b""
        for source in data_inputs(node):
            entered = self._nodes.get(source.node)
            if entered is not None and entered.op in _ENTERS:
                return entered.attr["frame_name"].s
        return b""
