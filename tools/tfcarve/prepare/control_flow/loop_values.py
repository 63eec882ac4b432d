"""Recognizes loop tensors that are constant or count iterations. Pure."""

from collections.abc import Collection, Iterator

from tfcarve.prepare.control_flow.loops import Loop, Scope
from tfcarve.prepare.graph import nodes, tensors
from tfcarve.prepare.graph.graph import Ref, data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

ADDS = frozenset(("Add", "AddV2"))


def pairs(scope: Scope, source: Ref, ops: Collection[str]) -> Iterator[tuple[Ref, Ref]]:
    """Yields the two inputs of the node that computes `source`, in both orders, if its op is in `ops`."""
    source_node = scope.producer(source, ops)
    read = data_inputs(source_node) if source_node is not None else []
    if len(read) == 2:
        yield read[0], read[1]
        yield read[1], read[0]


def _is_zero(start: NodeDef) -> bool:
    if nodes.tensor(start).dtype != nodes.INT32:
        return False
    value = nodes.value(start)
    return value.ndim == 0 and not value.any()


class LoopValues:
    """The known values of a loop's tensors."""

    def __init__(self, loop: Loop, graph: Scope) -> None:
        """Sets the loop and the graph around it, without the nodes that the app feeds."""
        self.loop = loop
        self.graph = graph
        self.body = loop.body

    def constant(self, scope: Scope, source: Ref) -> Array | None:
        """Returns the value of a tensor of the body or the condition, or None if it is not constant."""
        number = scope.variable(source)
        if number is not None:
            if not self.loop.is_invariant(number):
                return None
            scope, source = self.graph, self.loop.variables[number].start
        found = scope.producer(source, ("Const",))
        if found is None or not tensors.has_numbers(nodes.tensor(found).dtype):
            return None
        return nodes.value(found)

    def integer(self, scope: Scope, source: Ref) -> int | None:
        """Returns the value of a tensor that is a single constant integer, else None."""
        value = self.constant(scope, source)
        if value is None or value.size != 1 or value.dtype.kind != "i":
            return None
        return int(value.reshape(-1)[0])

    def is_counter(self, number: int | None) -> bool:
        """Returns whether a variable takes the values 0, 1, 2 and so on."""
        if number is None:
            return False
        variable = self.loop.variables[number]
        start = self.graph.producer(variable.start, ("Const",))
        if start is None or not _is_zero(start):
            return False
        return any(
            self.body.variable(a) == number and self.integer(self.body, b) == 1
            for a, b in pairs(self.body, variable.next, ADDS)
        )
