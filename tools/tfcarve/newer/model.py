"""Finds the ops, attributes and versions of a model that are newer than a release. Pure."""

from collections.abc import Iterator

from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import Model
from tfcarve.newer import check, graph_version
from tfcarve.newer.check import Findings
from tfcarve.newer.data import Newer


def _excluded(model: Model, newer: Newer) -> Iterator[str]:
    for versions in model.versions:
        fault = graph_version.fault(versions, newer.data)
        if fault:
            yield f"{fault}: {graph_version.fix(newer.data)}"


def _findings(model: Model, newer: Newer) -> Findings:
    return check.findings((use for use in model.nodes if use.op not in model.functions), newer)


def notes(model: Model, newer: Newer) -> tuple[str, ...]:
    """Returns a note for each reason why a library of the release cannot run a model."""
    found = _findings(model, newer)
    return (*_excluded(model, newer), *found.attributes, *found.ops)


def checked(model: Model, newer: Newer) -> tuple[str, ...]:
    """Returns notes about the ops of a model that the release does not have.

    Raises InvalidInput if TensorFlow of the release refuses the model by its versions, or computes other outputs.
    """
    for fault in _excluded(model, newer):
        raise InvalidInput(fault)
    found = _findings(model, newer)
    found.require()
    return found.ops
