"""Graphs that exclude the TensorFlow that is built by their versions.

Source: CheckVersions in tensorflow/core/framework/versions.cc.
"""

from collections.abc import Iterable

from tfcarve.errors import Problem
from tfcarve.models.node_use import Model
from tfcarve.newer import graph_version
from tfcarve.selection.lookup import Lookup


def problems(models: Iterable[Model], lookup: Lookup) -> list[Problem]:
    """Returns a problem for each graph; none if the index is not of the version that is built, whose version is unknown."""
    if lookup.version != lookup.newer.data.tensorflow:
        return []
    newer = lookup.newer.data
    return [
        Problem(f"{model.path}: {fault}", hint=graph_version.fix(newer))
        for model in models
        for versions in model.versions
        if (fault := graph_version.fault(versions, newer))
    ]
