"""Reads newer_ops.json and dropped_attributes.yaml: the ops and attributes that only later TensorFlow releases have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from tfcarve import files, json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.models import yaml_form
from tfcarve.models.node_use import AttrValue
from tfcarve.releases.release import Release

FILE_NAME = "newer_ops.json"
_DROPPED_FILE = "dropped_attributes.yaml"
_VERSION = 1

Scalar = bool | int | float | str
Value = Scalar | tuple[Scalar, ...]


class LaterRelease(JsonDocument, frozen=True):
    """A release that is later than the one that is built.

    Attributes:
      name: major and minor version.
      tensorflow: the version whose ops were read.
      graph_version: the version of the GraphDefs that it writes (TF_GRAPH_DEF_VERSION).
    """

    name: str
    tensorflow: str
    graph_version: int


class NewOp(JsonDocument, frozen=True):
    """An op, and the name of the first release that has it."""

    op: str
    first: str


class NewAttribute(JsonDocument, frozen=True):
    """An attribute of an op that the release has without it.

    Attributes:
      op: the op.
      attribute: the attribute's name.
      type: string, int, float, bool, type, or list(…) of one.
      default: the default value (a type by its name).
      first: the name of the first release that has the attribute.
    """

    op: str
    attribute: str
    type: str
    default: Value
    first: str


class NewerOps(JsonDocument, frozen=True, tag_field="version", tag=_VERSION):
    """newer_ops.json.

    Attributes:
      tensorflow: the version that is built.
      graph_version: the version of the GraphDefs that it writes.
      releases: the later releases that were read, from the earliest to the latest.
      ops: sorted by name.
      attributes: sorted by op and name.
    """

    tensorflow: str
    graph_version: int
    releases: tuple[LaterRelease, ...]
    ops: tuple[NewOp, ...]
    attributes: tuple[NewAttribute, ...]


class Dropped(JsonDocument, frozen=True):
    """New attributes that do not change the results of a CPU kernel.

    Attributes:
      ops: the ops with the attributes.
      attributes: the names of the attributes.
      why: the reason.
      values: besides the default, the values that change nothing; None: all values.
    """

    ops: tuple[str, ...]
    attributes: tuple[str, ...]
    why: str
    values: frozenset[str] | None = None


class _DroppedDocument(JsonDocument, frozen=True):
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True)
class Newer:
    """The ops and attributes that are newer than a release; see NewerOps and Dropped."""

    data: NewerOps
    dropped: tuple[Dropped, ...]

    @cached_property
    def ops(self) -> Mapping[str, str]:
        """The first release that has an op, by the op's name."""
        return {row.op: row.first for row in self.data.ops}

    @cached_property
    def attributes(self) -> Mapping[str, Mapping[str, NewAttribute]]:
        """The new attributes, by op and name."""
        found: dict[str, dict[str, NewAttribute]] = {}
        for row in self.data.attributes:
            found.setdefault(row.op, {})[row.attribute] = row
        return found

    def is_droppable(self, row: NewAttribute, value: AttrValue) -> bool:
        """Returns whether a node has the same outputs without an attribute with this value."""
        if (value.kind, value.value) == (row.type, row.default):
            return True
        if value.kind == "list()" and row.default == ():
            return True
        key = row.op, row.attribute
        if key not in self._without_effect:
            return False
        values = self._without_effect[key]
        return values is None or (value.kind == "string" and value.value in values)

    @cached_property
    def _without_effect(self) -> Mapping[tuple[str, str], frozenset[str] | None]:
        return {
            (op, attribute): row.values
            for row in self.dropped
            for op in row.ops
            for attribute in row.attributes
        }


def parse(data: bytes, where: str) -> NewerOps:
    """Reads newer_ops.json, the file `where`; raises InvalidInput if it is not one."""
    remedy = "create it again with `python -m op_lists.update`"
    return json_codec.decode_version(data, NewerOps, where, _VERSION, remedy)


@cache
def load(release: Release) -> Newer:
    """Returns the ops and attributes that are newer than a release."""
    file, dropped = release.file(FILE_NAME), release.file(_DROPPED_FILE)
    document = yaml_form.load(dropped.read_text(encoding="utf-8"))
    rows = json_codec.convert(document, _DroppedDocument, str(dropped)).dropped
    return Newer(parse(files.read_bytes(file), str(file)), rows)
