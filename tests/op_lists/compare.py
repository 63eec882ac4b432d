"""From the ops of TensorFlow packages to what is newer than a release. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from op_lists.package import Package
from tfcarve.errors import InvalidInput
from tfcarve.newer.data import LaterRelease, NewAttribute, NewerOps, NewOp
from tfcarve.newer.values import value_of
from tfcarve.newer.versions import order, release_of
from tfcarve.prepare.graph.messages import OpDef

_TYPES = ("bool", "float", "int", "string", "type")
_STORED = frozenset((*_TYPES, *(f"list({name})" for name in _TYPES if name != "float")))


def empty(base: Package) -> NewerOps:
    """Returns what is newer than the release of `base`, before a later one was read."""
    return NewerOps(base.tensorflow, base.graph_version, (), (), ())


def _new_attributes(op: OpDef, old: OpDef, first: str) -> Iterator[NewAttribute]:
    known = {attr.name for attr in old.attr}
    for attr in op.attr:
        if attr.name in known:
            continue
        value = value_of(attr.default_value)
        if attr.type not in _STORED or value.kind == "unset":
            raise InvalidInput(
                f"op {op.name!r}: the new attribute {attr.name!r} has the type {attr.type} and the default {value.value!r}: "
                "newer_ops.json cannot store it: extend op_lists.compare and tfcarve.newer"
            )
        yield NewAttribute(op.name, attr.name, attr.type, value.value, first)


def with_release(newer: NewerOps, base: Package, later: Package) -> NewerOps:
    """Returns `newer` with what a later release has; releases may be added in any order.

    Args:
      newer: what is newer than the release of `base`.
      base: the package of the release that is built.
      later: the package of a later release.

    Raises:
      InvalidInput: `later` is not later than `base`, or has a new attribute without a default that can be stored.
    """
    name = release_of(later.tensorflow)
    if order(name) <= order(release_of(base.tensorflow)):
        raise InvalidInput(f"TensorFlow {later.tensorflow} is not later than {base.tensorflow}")
    old = {op.name: op for op in base.ops}
    ops = {row.op: row for row in newer.ops}
    attributes = {(row.op, row.attribute): row for row in newer.attributes}
    for op in later.ops:
        if op.name not in old:
            row = ops.get(op.name, NewOp(op.name, name))
            ops[op.name] = min(row, NewOp(op.name, name), key=lambda each: order(each.first))
            continue
        for new in _new_attributes(op, old[op.name], name):
            known = attributes.get((new.op, new.attribute), new)
            attributes[new.op, new.attribute] = min(known, new, key=lambda each: order(each.first))
    releases = {row.name: row for row in newer.releases}
    releases[name] = LaterRelease(name, later.tensorflow, later.graph_version)
    return NewerOps(
        newer.tensorflow,
        newer.graph_version,
        tuple(sorted(releases.values(), key=lambda row: order(row.name))),
        tuple(ops[key] for key in sorted(ops)),
        tuple(attributes[key] for key in sorted(attributes)),
    )
