"""What is known of the nodes of a model by the definitions of their ops. Pure."""

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
    """What is known of all nodes with the same op and attributes.

    Attributes:
      signature: the inputs and outputs; None: not known.
      faults: each invalid attribute, and what is wrong with it.
      first: the type of the first output; None: not known, or there is none.
      input_count: number of inputs.
    """

    signature: Signature | None
    faults: tuple[tuple[str, str], ...] = ()
    first: Type = None
    input_count: int = 0
    _inputs: tuple[Type, ...] | None = None

    def inputs(self) -> tuple[Type, ...]:
        """Returns the types of the inputs, for a node that has as many."""
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
    """Returns what is known of each node; nothing of those whose op has no definition.

    Readers let nodes with equal attributes share them, so most nodes need no work of their own.
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
