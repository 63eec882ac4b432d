"""The conditions under which a node of a graph with Switch and Merge runs. Pure.

A node is dead if one of its inputs is dead. The branch of a Switch that is not taken is dead; a Merge is alive if any
of its inputs is. So each tensor has a set of conditions that must hold, or None if they are unknown. A condition also
says in which frame a node is: nodes in different loops have no condition in common.
Source: tensorflow/core/common_runtime/executor.cc, propagator_state.cc (deadness).
"""

from collections.abc import Collection, Hashable, Iterable, Sequence

from tfcarve.control_flow import ENTERS, EXITS, MERGES, NEXT_ITERATIONS, SWITCHES
from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import CONTROL, Ref, control_inputs, data_inputs, ref, set_inputs
from tfcarve.prepare.graph.messages import NodeDef

Conditions = frozenset[Hashable]

_MAX_CONDITIONS = 32
# The length of a chain of Identity ops that is followed.
_MAX_COPIES = 100
# Ops whose inputs are not followed: each node is a condition of its own.
_OPAQUE = EXITS | NEXT_ITERATIONS | {"_SwitchN"}


class Liveness:
    """The conditions under which nodes are alive."""

    def __init__(self, order: Sequence[NodeDef]) -> None:
        """Computes the conditions of nodes in topological order; raises InvalidInput if a Switch is damaged."""
        self._nodes: dict[str, NodeDef] = {node.name: node for node in order}
        self._places = {node.name: place for place, node in enumerate(order)}
        self._of: dict[str, Conditions | None] = {}
        for node in order:
            self._of[node.name] = self._conditions(node)

    def of(self, source: Ref) -> Conditions | None:
        """Returns the conditions of a tensor or control dependency, or None if they are unknown or too many."""
        node, own = self._nodes.get(source.node), self._of.get(source.node)
        if node is None or own is None or source.output == CONTROL or node.op not in SWITCHES:
            return own
        sources = data_inputs(node)
        if len(sources) != 2:
            raise InvalidInput(
                f"node {node.name!r}: {node.op} has {len(sources)} inputs, not 2: the file is damaged"
            )
        return own | {(self._origin(sources[1]), source.output)}

    def of_all(self, sources: Iterable[Ref]) -> Conditions | None:
        """Returns the conditions under which all `sources` are alive, or None if they are unknown or too many."""
        found: Conditions = frozenset()
        for source in sources:
            own = self.of(source)
            if own is None:
                return None
            found |= own
        return found if len(found) <= _MAX_CONDITIONS else None

    def is_implied(self, lost: Ref, left: Sequence[Ref]) -> bool:
        """Returns whether a node with the inputs `left` runs in the same cases without the input `lost`."""
        return self.stand_ins((lost,), left, ()) == []

    def needed_control_inputs(self, node: NodeDef, kept: Collection[str] = ()) -> list[str]:
        """Returns the nodes of control inputs that determine whether a node runs, and the nodes of `kept` in control inputs."""
        alive = self.of_all(data_inputs(node))
        needed: list[str] = []
        for name in sorted(control_inputs(node), key=lambda name: name not in kept):
            required = self.of(Ref(name, CONTROL))
            if name in kept or alive is None or required is None or not required <= alive:
                needed.append(name)
                alive = None if alive is None or required is None else alive | required
        return needed

    def set_needed_control_inputs(self, node: NodeDef, kept: Collection[str] = ()) -> None:
        """Removes the control inputs that do not determine whether a node runs, except control inputs from the nodes `kept`."""
        needed = self.needed_control_inputs(node, kept)
        if len(needed) < len(control_inputs(node)):
            set_inputs(node, [*data_inputs(node), *(Ref(name, CONTROL) for name in needed)])

    def stand_ins(
        self, lost: Sequence[Ref], left: Sequence[Ref], removed: Collection[str]
    ) -> list[str] | None:
        """Returns the nodes whose control edges keep a node as alive as inputs that it loses.

        Args:
          lost: the inputs that the node loses.
          left: its other inputs.
          removed: the names of nodes that may not be returned.

        Returns:
          The names of nodes that the lost inputs depend on, preferably early ones. An empty result if nothing changes without
          the lost inputs. None if no nodes keep the node as alive.
        """
        wanted, alive = self.of_all(lost), self.of_all(left)
        if wanted is None or alive is None:
            return None
        if wanted <= alive:
            return []
        found: list[str] = []
        for name in self._before(lost):
            if wanted <= alive:
                break
            own = self._of[name]
            if (
                name not in removed
                and own is not None
                and own <= wanted | alive
                and not own <= alive
            ):
                found.append(name)
                alive |= own
        return self._without_implied(found, left) if wanted <= alive else None

    def _without_implied(self, names: Sequence[str], left: Sequence[Ref]) -> list[str]:
        """Returns the nodes whose conditions are not implied by later nodes."""
        found: list[str] = []
        alive = self.of_all(left) or frozenset()
        for name in reversed(names):
            own = self._of[name] or frozenset()
            if not own <= alive:
                found.append(name)
                alive |= own
        return found

    def _before(self, sources: Iterable[Ref]) -> list[str]:
        """Returns the names of all nodes that tensors depend on within an iteration, in topological order."""
        todo = [source.node for source in sources]
        found = set(todo)
        while todo:
            user = todo.pop()
            for name in (ref(text).node for text in self._nodes[user].input):
                place = self._places.get(name)
                if name not in found and place is not None and place < self._places[user]:
                    found.add(name)
                    todo.append(name)
        return sorted(found, key=self._places.__getitem__)

    def _origin(self, predicate: Ref) -> Ref:
        """Returns the tensor that a predicate is a copy of."""
        for _ in range(_MAX_COPIES):
            node = self._nodes.get(predicate.node)
            if node is None or node.op != "Identity" or not node.input:
                break
            predicate = ref(node.input[0])
        return predicate

    def _conditions(self, node: NodeDef) -> Conditions | None:
        if node.op in ENTERS:
            is_constant = nodes.flag(node, "is_constant", False)
            return _frame(node) if is_constant else _itself(node)
        if node.op in MERGES:
            return self._of_merge(node)
        if node.op in _OPAQUE:
            return _itself(node)
        return self.of_all([ref(text) for text in node.input])

    def _of_merge(self, merge: NodeDef) -> Conditions | None:
        sources = data_inputs(merge)
        for source in sources:
            entered = self._nodes.get(source.node)
            if entered is not None and entered.op in ENTERS:
                return _frame(entered)
        own = [self.of(source) for source in sources]
        if len(own) == 2 and own[0] is not None and own[1] is not None:
            one, other = own[0] - own[1], own[1] - own[0]
            if not one or not other or _are_opposite(one, other):
                return own[0] & own[1]
        return _itself(merge)


def _frame(enter: NodeDef) -> Conditions:
    return frozenset((("frame", nodes.text(enter, "frame_name")),))


def _itself(node: NodeDef) -> Conditions:
    return frozenset((("node", node.name),))


def _are_opposite(one: Conditions, other: Conditions) -> bool:
    """Returns whether the conditions are different outputs of Switches with the same predicate."""
    if len(one) != 1 or len(other) != 1:
        return False
    (a,), (b,) = one, other
    match a, b:
        case (Ref() as p, 0 | 1 as i), (Ref() as q, 0 | 1 as j):
            return p == q and i != j
    return False
