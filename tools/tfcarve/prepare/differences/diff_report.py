"""The JSON document of `tfcarve diff`."""

from collections.abc import Sequence

from tfcarve.json_codec import JsonDocument
from tfcarve.prepare.differences.diff import Change, OpCount


class Detail(JsonDocument, frozen=True):
    """One difference of a node, with its values before and after. See diff.Change."""

    what: str
    before: str
    after: str


class NodeReport(JsonDocument, frozen=True):
    """A node that only one graph has, or that differs. See diff.Change."""

    node: str
    kind: str
    op: str
    details: tuple[Detail, ...]


class OpReport(JsonDocument, frozen=True):
    """The number and bytes of an op's nodes in both graphs. See diff.OpCount."""

    op: str
    nodes: tuple[int, int]
    bytes: tuple[int, int]


class DiffReport(JsonDocument, frozen=True):
    """The report of `tfcarve diff --json`.

    Attributes:
      version: 1.
      nodes: the nodes that differ.
      ops: all ops of both graphs, sorted by name.
    """

    version: int
    nodes: tuple[NodeReport, ...]
    ops: tuple[OpReport, ...]


def document(changes: Sequence[Change], counts: Sequence[OpCount]) -> DiffReport:
    """Returns the report as a JSON document."""
    return DiffReport(
        version=1,
        nodes=tuple(
            NodeReport(
                node=change.node,
                kind=change.kind,
                op=change.op,
                details=tuple(
                    Detail(what=what, before=before, after=after)
                    for what, before, after in change.details
                ),
            )
            for change in changes
        ),
        ops=tuple(OpReport(op=count.op, nodes=count.nodes, bytes=count.bytes) for count in counts),
    )
