"""Types and faults of the nodes of a model, by the definitions of their ops. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tfcarve.models.node_use import NodeUse
from tfcarve.op_definition import Definition
from tfcarve.validity.attributes import faults
from tfcarve.validity.signatures import Signature, Type, Undecided, count, signature

# Returns the definition of an op or function, or None.
Definitions = Callable[[str], Definition | None]


@dataclass(slots=True)
class KnownNode:
    """Types and faults of all nodes with the same op and attributes.

    Attributes:
      signature: the inputs and outputs; None if they are not known.
      faults: each invalid attribute, and its fault as text.
      first: the type of the first output; None if it is not known or if there is no output.
      input_count: number of inputs.
    """

    signature: Signature | None
    faults: tuple[tuple[str, str], ...] = ()
    first: Type = None
    input_count: int = 0
    _inputs: tuple[Type, ...] | None = None

    def inputs(self) -> tuple[Type, ...]:
        """Returns the types of the inputs, for a node with the right number of inputs."""
        if self._inputs is None:
            tensors = self.signature.inputs if self.signature else ()
            self._inputs = tuple(name for each in tensors for name in each.types * each.times)
        return self._inputs


def _known(definition: Definition | None, use: NodeUse) -> KnownNode:
    if definition is None:
        return KnownNode(None)
    wrong = tuple(faults(use.attrs, definition.attrs))
    try:
        found = signature(definition, use.attrs)
    except Undecided:
        return KnownNode(None, wrong)
    first = found.output(0) if count(found.outputs) else None
    return KnownNode(found, wrong, first, count(found.inputs))


def known_nodes(uses: Iterable[NodeUse], definitions: Definitions) -> list[KnownNode]:
    """Returns the types and faults of each node. Nodes without a definition of their op have neither.

    Nodes with equal attributes share one object, because readers share attributes. So most nodes take no time.
    """
    shared: dict[tuple[str, int], KnownNode] = {}
    known = []
    for use in uses:
        key = use.op, id(use.attrs)
        found = shared.get(key)
        if found is None:
            found = shared[key] = _known(definitions(use.op), use)
        known.append(found)
    return known
