"""The common form of functional (While) and lowered loops. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tfcarve.prepare.evaluate.foldable import PASS_THROUGH
from tfcarve.prepare.graph.graph import Ref, data_inputs
from tfcarve.prepare.graph.messages import NodeDef

# The length of a chain of Identity ops that is followed.
_MAX_COPIES = 100


@dataclass(frozen=True)
class Scope:
    """The nodes in which tensors are looked up.

    Attributes:
      nodes: the nodes by name.
      variables: the numbers of the loop variables, by tensor.
    """

    nodes: Mapping[str, NodeDef]
    variables: Mapping[Ref, int]

    def origin(self, source: Ref) -> Ref:
        """Returns the tensor that `source` is a copy of, through Identity and similar ops."""
        for _ in range(_MAX_COPIES):
            node = self.nodes.get(source.node)
            if source in self.variables or node is None or node.op not in PASS_THROUGH:
                break
            read = data_inputs(node)
            if source.output or len(read) != 1:
                break
            source = read[0]
        return source

    def producer(self, source: Ref, ops: Collection[str]) -> NodeDef | None:
        """Returns the node whose first output `source` is, or is a copy of; None if its op is not in `ops`."""
        found = self.origin(source)
        node = self.nodes.get(found.node)
        if node is None or found in self.variables or found.output or node.op not in ops:
            return None
        return node

    def variable(self, source: Ref) -> int | None:
        """Returns the number of the variable that a tensor is, or is a copy of, or None."""
        return self.variables.get(self.origin(source))


@dataclass(frozen=True)
class Variable:
    """A variable of a loop.

    Attributes:
      start: the tensor of the graph with its initial value.
      next: the tensor of the body with its value in the next iteration.
      finals: the tensors of the graph with its value after the loop.
    """

    start: Ref
    next: Ref
    finals: tuple[Ref, ...]


@dataclass(frozen=True)
class Loop:
    """A loop: while the condition holds, all variables get their next values.

    Attributes:
      name: the name of the While; also of a lowered one, if it can be recovered.
      condition: the tensor of `tests` that decides whether there is another iteration.
      tests: the nodes of the condition.
      body: the nodes of an iteration.
      variables: the variables, by number.
      own: the names of the graph's nodes that form the loop.
      control_inputs: the names of the nodes in its control inputs.
      device: the device of its nodes.
    """

    name: str
    condition: Ref
    tests: Scope
    body: Scope
    variables: tuple[Variable, ...]
    own: frozenset[str]
    control_inputs: tuple[str, ...]
    device: str

    def is_invariant(self, number: int) -> bool:
        """Returns whether a variable has the same value in all iterations."""
        return self.body.variable(self.variables[number].next) == number
