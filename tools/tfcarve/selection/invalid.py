"""Models whose graphs TensorFlow refuses to load. Pure."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

from tfcarve.errors import Problem
from tfcarve.models.node_use import Model, NodeUse
from tfcarve.selection.lookup import Lookup
from tfcarve.selection.need import Need, first
from tfcarve.selection.partial import Invalid, PartialSelection
from tfcarve.validity import check
from tfcarve.validity.fault import Fault, Reason, fault
from tfcarve.validity.tables import GRAPHS, unready_tables

# Formats without a graph: the nodes are in other formats, or are not connected to each other.
_WITHOUT_GRAPH = frozenset(("tflite-flex", "ops-list"))


def _deprecated(uses: Sequence[NodeUse], producer: int, lookup: Lookup) -> Iterator[Fault]:
    """Yields the nodes whose op a graph of this version may not have.

    Source: CheckOpDeprecation in tensorflow/core/framework/op_def_util.cc.
    """
    for use in uses:
        op = lookup.op(use.op)
        if op is None or op.deprecation is None or producer < op.deprecation.version:
            continue
        what = (
            f"op {use.op!r}: graphs of version {op.deprecation.version} and later may not have it; "
            f"this one has version {producer}"
        )
        yield fault(use, Reason(what, f"TensorFlow says: {op.deprecation.why}"), f"is {use.op}")


def add_faults(
    model: Model, parts: Sequence[Sequence[NodeUse]], lookup: Lookup, partial: PartialSelection
) -> None:
    """Adds the faults of a model's graphs.

    Args:
      model: the model.
      parts: the nodes of each of its graphs that can run.
      lookup: returns the definitions of ops.
      partial: the selection.
    """
    if model.format in _WITHOUT_GRAPH:
        return
    producers = itertools.chain((v.producer for v in model.versions), itertools.repeat(0))
    for uses, producer in zip(parts, producers, strict=False):
        found = check.faults(uses, model.functions, lookup.op, model.fed)
        for each in itertools.chain(found, _deprecated(uses, producer, lookup)):
            need = Need(model.path, each.node, each.function)
            partial.add_invalid(each.reason, (need, each.detail))


def add_tables(model: Model, uses: Sequence[NodeUse], partial: PartialSelection) -> None:
    """Adds the lookup tables that no node initializes, and warns of tables that an app must initialize."""
    if model.format not in GRAPHS:
        return
    for table in unready_tables(uses):
        if table.initializers:
            partial.warnings.append(f"{model.path}: {table.what()}; {table.fix(model.path)}")
        else:
            reason = Reason(table.what(), table.fix(model.path))
            partial.add_invalid(reason, (Need(model.path, table.lookup), f"reads {table.table}"))


def problems(invalid: Mapping[Reason, list[Invalid]]) -> list[Problem]:
    """Returns a problem for each reason."""
    return [
        Problem(
            reason.what,
            hint=reason.fix.replace("MODEL", nodes[0][0].model),
            places=first([f"{need.text()}: {detail}" for need, detail in nodes]),
        )
        for reason, nodes in sorted(invalid.items(), key=lambda item: item[0].what)
    ]
