"""Matches patterns of ops in a graph."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tfcarve.prepare.graph.graph import CONTROL, Graph, Ref, by_name, consumers, data_inputs
from tfcarve.prepare.graph.messages import NodeDef

Match = Mapping[str, NodeDef]


@dataclass(frozen=True)
class Pattern:
    """A pattern that matches a node and its inputs.

    Attributes:
      ops: the allowed ops; empty for any op.
      inputs: the patterns of all data inputs; empty for any inputs.
      key: the key of the node in a match; empty to omit it.
      commutative: whether the two inputs may be swapped.
      output: the number of the output that must be read.
    """

    ops: frozenset[str]
    inputs: tuple["Pattern", ...] = ()
    key: str = ""
    commutative: bool = False
    output: int = 0


def pattern(
    ops: str | Iterable[str], *inputs: Pattern, key: str = "", commutative: bool = False
) -> Pattern:
    """Returns a Pattern; `ops` is one op, several ops, or "*" for any op."""
    names = (ops,) if isinstance(ops, str) else tuple(ops)
    return Pattern(frozenset() if names == ("*",) else frozenset(names), inputs, key, commutative)


class Matcher:
    """Finds patterns in a snapshot of a graph."""

    def __init__(self, graph: Graph, preserved: Iterable[str] = ()) -> None:
        """Takes the snapshot; the nodes `preserved` must stay."""
        self._nodes = by_name(graph)
        self._preserved = frozenset(preserved)
        self._users: dict[str, list[tuple[int, NodeDef]]] = {}
        for source, users in consumers(graph).items():
            listed = self._users.setdefault(source.node, [])
            listed += [(source.output, user) for user in users]

    def node(self, name: str) -> NodeDef | None:
        """Returns the node with a name, or None."""
        return self._nodes.get(name)

    def users(self, name: str) -> list[tuple[int, NodeDef]]:
        """Returns the consumers of a node, each with the output that it reads (or CONTROL)."""
        return self._users.get(name, [])

    def only_user(self, name: str) -> NodeDef | None:
        """Returns the only consumer of `name` if that reads output 0 and `name` may be removed, else None.

        A node that must stay or has control inputs may not be removed.
        """
        users = self.users(name)
        if len(users) != 1 or users[0][0] != 0 or name in self._preserved:
            return None
        if any(text.startswith("^") for text in self._nodes[name].input):
            return None
        return users[0][1]

    def match(self, wanted: Pattern, node: NodeDef) -> Match | None:
        """Returns the matched nodes by key, or None if `node` does not match.

        All matched nodes have one consumer and may be removed, except `node` and nodes whose pattern has no inputs.
        """
        found: dict[str, NodeDef] = {}
        return found if self._match(wanted, node, found, True) else None

    def _match(
        self, wanted: Pattern, node: NodeDef, found: dict[str, NodeDef], is_root: bool
    ) -> bool:
        if wanted.ops and node.op not in wanted.ops:
            return False
        if wanted.inputs and not is_root and self.only_user(node.name) is None:
            return False
        if wanted.inputs and not self._match_inputs(wanted, data_inputs(node), found):
            return False
        if wanted.key:
            found[wanted.key] = node
        return True

    def _match_inputs(self, wanted: Pattern, sources: list[Ref], found: dict[str, NodeDef]) -> bool:
        orders = [sources, sources[::-1]] if wanted.commutative else [sources]
        for order in orders:
            own: dict[str, NodeDef] = {}
            if len(order) == len(wanted.inputs) and all(
                self._match_input(p, source, own)
                for p, source in zip(wanted.inputs, order, strict=True)
            ):
                found.update(own)
                return True
        return False

    def _match_input(self, wanted: Pattern, source: Ref, found: dict[str, NodeDef]) -> bool:
        node = self._nodes.get(source.node)
        if (
            node is None
            or source.output == CONTROL
            or (wanted.ops and source.output != wanted.output)
        ):
            return False
        return self._match(wanted, node, found, False)
