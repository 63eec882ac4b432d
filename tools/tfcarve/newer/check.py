"""Finds nodes with ops and attributes that a release does not have, and writes the messages about them. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.newer.data import NewAttribute, Newer
from tfcarve.newer.versions import release_of

# Only hostile models have more kinds.
_MAX_KINDS = 100


def op_fault(op: str, newer: Newer) -> str:
    """Returns the message about an op that is newer than the release."""
    return (
        f"op {op!r} is newer than TensorFlow {newer.data.tensorflow}, which tfcarve builds: {newer.ops[op]} is the first release "
        "that has it"
    )


def op_fix(newer: Newer) -> str:
    """Returns advice about an op that is newer than the release."""
    built = release_of(newer.data.tensorflow)
    return (
        "replace the layer or function that creates it; or, if the program that creates the model also runs with TensorFlow "
        f"{built}, export the model with {built}"
    )


def attribute_fault(first: str, version: str) -> str:
    """Returns the message about an attribute that TensorFlow has since the release `first`, which is later than `version`."""
    return f"TensorFlow {version} does not have this attribute: {first} is the first release that has it"


def attribute_fix(row: NewAttribute) -> str:
    """Returns advice about an attribute that is newer than the release."""
    return f"use its default value, {row.default!r}, or replace the layer or function that sets it"


def shown(value: AttrValue) -> str:
    """Returns the value of an attribute for a message."""
    return str(list(value.value)) if isinstance(value.value, tuple) else repr(value.value)


def new_attributes(
    use: NodeUse, known: Mapping[str, object], newer: Newer
) -> Iterator[tuple[NewAttribute, AttrValue]]:
    """Yields the attributes of a node that are newer than the release, with their values.

    Args:
      use: the node; its op is not a function of the model.
      known: the attributes that the op has in the TensorFlow that is built.
      newer: the ops and attributes that are newer than that TensorFlow.
    """
    for name, row in newer.attributes.get(use.op, {}).items():
        value = use.attrs.get(name)
        if value is not None and name not in known:
            yield row, value


@dataclass(frozen=True, slots=True)
class Findings:
    """The newer ops and attributes of nodes: a text for each kind, with the first node.

    Attributes:
      ops: newer ops. They may be valid, because custom ops may have their names.
      attributes: newer attributes that change the outputs of a node. TensorFlow ignores attributes that it does not have, so
        the outputs would be wrong.
    """

    ops: tuple[str, ...]
    attributes: tuple[str, ...]

    def require(self) -> None:
        """Raises InvalidInput if there are attributes."""
        if self.attributes:
            raise InvalidInput("\n".join(self.attributes))


class _Places:
    """The first node of each kind, and the number of its nodes."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._count: Counter[str] = Counter()

    def add(self, kind: str, use: NodeUse) -> None:
        """Adds a node. If there are too many kinds, adds nothing for a new kind."""
        if kind in self._first or len(self._first) < _MAX_KINDS:
            self._first.setdefault(kind, use.place())
            self._count[kind] += 1

    def texts(self) -> tuple[str, ...]:
        """Returns a text for each kind, in the order in which they were found."""
        return tuple(
            f"{place}{f' and {self._count[kind] - 1} more' if self._count[kind] > 1 else ''}: {kind}"
            for kind, place in self._first.items()
        )


def findings(uses: Iterable[NodeUse], newer: Newer) -> Findings:
    """Returns the newer ops and attributes of nodes that do not call functions."""
    ops, attributes = _Places(), _Places()
    for use in uses:
        if use.op in newer.ops:
            custom = (
                "tfcarve select refuses the op unless a source that --custom-op names defines it"
            )
            ops.add(f"{op_fault(use.op, newer)}: {custom}", use)
        for row, value in new_attributes(use, {}, newer):
            if not newer.is_droppable(row, value):
                what = f"op {use.op!r} with {row.attribute} {shown(value)}"
                fault = attribute_fault(row.first, newer.data.tensorflow)
                attributes.add(f"{what}: {fault}: {attribute_fix(row)}", use)
    return Findings(ops.texts(), attributes.texts())
