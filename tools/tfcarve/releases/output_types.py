"""The types of ops' outputs in a release: output_types.json, for commands that have no kernel index."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tfcarve import files, json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.op_definition import Argument, Attr
from tfcarve.releases.release import Release

FILE_NAME = "output_types.json"


class Outputs(JsonDocument, frozen=True, omit_defaults=True):
    """The outputs of an op, without names, and the attributes that give their number and types."""

    outputs: tuple[Argument, ...] = ()
    attrs: Mapping[str, Attr] = {}
    inputs: tuple[Argument, ...] = ()


class Row(JsonDocument, frozen=True):
    """Ops with the same outputs."""

    ops: tuple[str, ...]
    of_each: Outputs


class OutputTypes(JsonDocument, frozen=True, tag_field="version", tag=1):
    """The outputs of all ops of a release; the rows and the ops in each are sorted."""

    rows: tuple[Row, ...]


def update_command(release: str) -> str:
    """Returns the command that writes the file of a release."""
    return f"./bazelw run //third_party/tensorflow/releases/{release}:update_output_types"


@cache
def by_op(release: Release) -> Mapping[str, Outputs]:
    """Returns the outputs of each op; raises InvalidInput if the file is missing or damaged."""
    file = release.file(FILE_NAME)
    remedy = f"run {update_command(release.name)}"
    data = files.read_bytes(file)
    found = json_codec.decode_version(data, OutputTypes, str(file), 1, remedy)
    return {op: row.of_each for row in found.rows for op in row.ops}
