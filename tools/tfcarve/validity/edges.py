"""Checks the inputs of the nodes of a graph: which outputs they are, and their types. Pure.

Source: MakeEdge and Convert in tensorflow/core/common_runtime/graph_constructor.cc, ValidateNodeDef in
tensorflow/core/framework/node_def_util.cc, TypesCompatible in types.h.
"""

from collections.abc import Iterator, Mapping, Sequence

from tfcarve.models.node_use import NodeUse
from tfcarve.validity import inputs
from tfcarve.validity.fault import Fault, Reason, fault
from tfcarve.validity.known_ops import KnownNode
from tfcarve.validity.signatures import Type
from tfcarve.validity.variables import wrong_type


def _fits(expected: Type, actual: Type) -> bool:
    """Returns whether an input takes a type. An input of a value also takes a reference."""
    known = expected is not None and actual is not None
    return not known or expected in (actual, str(actual).removesuffix("_ref"))


class _Graph:
    def __init__(self, uses: Sequence[NodeUse], known: Sequence[KnownNode]) -> None:
        self._uses = uses
        self._known = known
        self._places: Mapping[str, int] = {use.node: place for place, use in enumerate(uses)}

    def faults(self, use: NodeUse, known: KnownNode) -> Iterator[Fault]:
        """Yields the faults of a node's inputs."""
        texts = inputs.data(use)
        if len(texts) != known.input_count:
            detail = f"has {len(texts)}, must have {known.input_count}"
            yield fault(use, inputs.wrong_number(use), detail)
            return
        for text, expected in zip(texts, known.inputs(), strict=True):
            name, port = inputs.tensor(text)
            place = self._places.get(name)
            if place is None:
                continue  # structure.py reports it
            source = self._known[place]
            actual = source.first
            if port or actual is None:
                if source.signature is None:
                    continue
                try:
                    actual = source.signature.output(port)
                except IndexError:
                    reason = Reason(
                        f"a node takes an output that op {self._uses[place].op!r} does not have"
                    )
                    yield fault(use, reason, f"takes {text}")
                    continue
            if actual != expected and not _fits(expected, actual):
                yield wrong_type(use, text, self._uses[place], (expected, actual))


def faults(
    uses: Sequence[NodeUse], known: Sequence[KnownNode], fed: frozenset[str]
) -> Iterator[Fault]:
    """Yields the faults of the inputs of a graph's nodes.

    Args:
      uses: the nodes.
      known: the signature and faults of each node.
      fed: nodes whose values the app feeds; their inputs are not checked.
    """
    graph = _Graph(uses, known)
    for use, of_use in zip(uses, known, strict=True):
        if of_use.signature is not None and use.node not in fed:
            yield from graph.faults(use, of_use)
