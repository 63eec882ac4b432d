"""Reads refused_attributes.yaml: attribute values that CPU kernels refuse when a graph runs."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Literal

from tfcarve import json_codec
from tfcarve.errors import Problem
from tfcarve.json_codec import JsonDocument
from tfcarve.models import yaml_form
from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.releases.release import Release
from tfcarve.selection.need import Need, shown

_IGNORED = str.maketrans("", "", "-_ ")

# The forms that kernels require of a list with an item for each dimension of a tensor with channels last.
Rule = Literal["ones", "same", "inner"]
_RULES: Mapping[Rule, Callable[[Sequence[int]], bool]] = {
    "ones": lambda items: set(items) <= {1},
    "same": lambda items: len(set(items[1:-1])) <= 1,
    "inner": lambda items: set(items[:1]) | set(items[-1:]) <= {1},
}


class Refused(JsonDocument, frozen=True):
    """Values of an attribute that the kernels of some ops refuse.

    Attributes:
      ops: the ops.
      attribute: the attribute.
      values: the values that are refused.
      supported: instead of `values`: the values that are not refused. Case, "-", "_" and spaces are ignored.
      requires: instead of `values`: the form of a list of integers; other lists are refused. ones: all integers are 1. same:
        the integers for rows, columns and planes are equal. inner: the integers for the batch and the channels are 1.
      why: a sentence with the values that the kernels support.
      fix: how to change the model.
    """

    ops: frozenset[str]
    attribute: str
    why: str
    fix: str
    values: frozenset[str] = frozenset()
    supported: frozenset[str] = frozenset()
    requires: Rule | None = None

    def refuses(self, value: AttrValue) -> bool:
        """Returns whether the kernels refuse a value."""
        if self.requires:
            return value.kind == "list(int)" and not _RULES[self.requires](value.value)
        if self.supported:
            return _plain(str(value.value)) not in map(_plain, self.supported)
        return str(value.value) in self.values


def _plain(value: str) -> str:
    return value.lower().translate(_IGNORED)


class _Document(JsonDocument, frozen=True):
    refused: tuple[Refused, ...]


def _shown(value: AttrValue) -> str:
    return str(list(value.value) if isinstance(value.value, tuple) else repr(value.value))


# An op, the attribute's value as text, and why it is refused.
Refusal = tuple[str, str, Refused]


@cache
def load(release: Release) -> Mapping[str, tuple[Refused, ...]]:
    """Returns the refused attribute values, by op."""
    file = release.file("refused_attributes.yaml")
    document = yaml_form.load(file.read_text(encoding="utf-8"))
    table: dict[str, tuple[Refused, ...]] = {}
    for refused in json_codec.convert(document, _Document, str(file)).refused:
        for op in refused.ops:
            table[op] = (*table.get(op, ()), refused)
    return table


def refusal(use: NodeUse, release: Release) -> Refusal | None:
    """Returns why the kernel of a node refuses one of its attributes, or None."""
    for refused in load(release).get(use.op, ()):
        value = use.attrs.get(refused.attribute)
        if value is not None and refused.refuses(value):
            return use.op, _shown(value), refused
    return None


def problems(refusals: Mapping[Refusal, list[Need]]) -> list[Problem]:
    """Returns a problem for each op and value."""
    return [
        Problem(
            f"op {op!r} with {refused.attribute} {value}: {refused.why}",
            shown(needs),
            refused.fix,
        )
        for (op, value, refused), needs in sorted(
            refusals.items(), key=lambda item: (item[0][0], item[0][1])
        )
    ]
