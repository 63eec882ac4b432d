"""Reads refused_attributes.yaml: attribute values that CPU kernels refuse when a graph runs."""

from collections.abc import Mapping
from functools import cache

import yaml

from tfcarve import json_codec
from tfcarve.errors import Problem
from tfcarve.json_codec import JsonDocument
from tfcarve.models.node_use import NodeUse
from tfcarve.releases.release import Release
from tfcarve.selection.need import Need, shown

_IGNORED = str.maketrans("", "", "-_ ")


class Refused(JsonDocument, frozen=True):
    """Values of an attribute that the kernels of some ops refuse.

    Attributes:
      ops: the ops.
      attribute: the attribute.
      values: the values that are refused.
      supported: instead of `values`: the others are refused. Case, "-", "_" and spaces are ignored.
      why: what the kernels support.
      fix: how to change the model.
    """

    ops: frozenset[str]
    attribute: str
    why: str
    fix: str
    values: frozenset[str] = frozenset()
    supported: frozenset[str] = frozenset()

    def refuses(self, value: str) -> bool:
        """Returns whether the kernels refuse a value."""
        if not self.supported:
            return value in self.values
        return _plain(value) not in map(_plain, self.supported)


def _plain(value: str) -> str:
    return value.lower().translate(_IGNORED)


class _Document(JsonDocument, frozen=True):
    refused: tuple[Refused, ...]


# An op, the attribute's value, and why it is refused.
Refusal = tuple[str, str, Refused]


@cache
def load(release: Release) -> Mapping[str, tuple[Refused, ...]]:
    """Returns what is refused, by op."""
    file = release.file("refused_attributes.yaml")
    document = yaml.safe_load(file.read_bytes())
    table: dict[str, tuple[Refused, ...]] = {}
    for refused in json_codec.convert(document, _Document, str(file)).refused:
        for op in refused.ops:
            table[op] = (*table.get(op, ()), refused)
    return table


def refusal(use: NodeUse, release: Release) -> Refusal | None:
    """Returns why the kernel of a node refuses one of its attributes, or None."""
    for refused in load(release).get(use.op, ()):
        value = use.attrs.get(refused.attribute)
        if value is not None and refused.refuses(str(value.value)):
            return use.op, str(value.value), refused
    return None


def problems(refusals: Mapping[Refusal, list[Need]]) -> list[Problem]:
    """Returns a problem for each op and value."""
    return [
        Problem(
            f"op {op!r} with {refused.attribute} {value!r}: {refused.why}",
            shown(needs),
            refused.fix,
        )
        for (op, value, refused), needs in sorted(
            refusals.items(), key=lambda item: (item[0][0], item[0][1])
        )
    ]
