"""Patterns of ops: which nodes of a graph are put together in a certain way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tfcarve.prepare.graph import CONTROL, Graph, Ref, by_name, consumers, data_inputs
from tfcarve.prepare.messages import NodeDef

Match = Mapping[str, NodeDef]


@dataclass(frozen=True)
class Pattern:
    """A node of one of some ops, whose inputs match too.

    Attributes:
      ops: names of ops; empty: any.
      inputs: the patterns of all data inputs; empty: they may be anything.
      key: what the node is called in a match; empty: it is not in it.
      either_order: two inputs may be the other way round.
      output: the number of the output that the reader must read.
    """

    ops: frozenset[str]
    inputs: tuple["Pattern", ...] = ()
    key: str = ""
    either_order: bool = False
    output: int = 0


def pattern(
    ops: str | Iterable[str], *inputs: Pattern, key: str = "", either_order: bool = False
) -> Pattern:
    """Returns a Pattern; `ops` is a name or several, "*" for any."""
    names = (ops,) if isinstance(ops, str) else tuple(ops)
    return Pattern(frozenset() if names == ("*",) else frozenset(names), inputs, key, either_order)


class Matcher:
    """Finds patterns in a graph as it is when this is made."""

    def __init__(self, graph: Graph, kept: Iterable[str] = ()) -> None:
        """Starts; nodes of the names `kept` have to stay."""
        self._nodes = by_name(graph)
        self._kept = frozenset(kept)
        self._users: dict[str, list[tuple[int, NodeDef]]] = {}
        for source, users in consumers(graph).items():
            listed = self._users.setdefault(source.node, [])
            listed += [(source.output, user) for user in users]

    def node(self, name: str) -> NodeDef | None:
        """Returns the node of a name, or None."""
        return self._nodes.get(name)

    def users(self, name: str) -> list[tuple[int, NodeDef]]:
        """Returns who reads or waits for a node: the output (CONTROL where it waits) and the reader."""
        return self._users.get(name, [])

    def only_user(self, name: str) -> NodeDef | None:
        """Returns the node that reads output 0 of `name`, where all else would not miss it; else None.

        None too where `name` waits for something or is one of those that have to stay.
        """
        users = self.users(name)
        if len(users) != 1 or users[0][0] != 0 or name in self._kept:
            return None
        if any(text.startswith("^") for text in self._nodes[name].input):
            return None
        return users[0][1]

    def match(self, wanted: Pattern, node: NodeDef) -> Match | None:
        """Returns the nodes that match, by their keys; None where `node` does not.

        All of them but `node` and those that the pattern lets be anything have one reader and needn't stay.
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
        orders = [sources, sources[::-1]] if wanted.either_order else [sources]
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
