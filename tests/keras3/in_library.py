"""Builds one library for models of Keras 3, and runs them in it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from demo import library, nested
from demo.library import Library
from keras3.samples import Sample
from keras3.tolerances import Array, error
from tfcarve.app.workspace import Workspace

_PACKAGE = "public"
PLATFORM = "linux_x86_64"


def build(workspace: Workspace, models: Sequence[Sample]) -> Library:
    """Returns the library for all models; raises BuildError or NestedError."""
    rules = nested.source_tree() / "tests/public/app.BUILD"
    workspace.place(_PACKAGE, {"BUILD": rules}, "BUILD")
    workspace.place(_PACKAGE, {one.graph.name: one.graph for one in models}, "*.pb")
    target = f"//{_PACKAGE}:{PLATFORM}"
    return library.build(workspace, target, PLATFORM, progress=sys.stderr.isatty())


def _bytes(array: Array) -> Array:
    """Returns strings as NumPy stores them without a pickle."""
    return array.astype("S") if array.dtype == object else array


def run(built: Library, model: Sample) -> dict[str, Array]:
    """Runs a model in the library; returns its outputs. Raises NestedError if it does not run."""
    with tempfile.TemporaryDirectory() as name:
        fed = {key: Path(name, f"{i}.npy") for i, key in enumerate(model.inputs)}
        for key, file in fed.items():
            np.save(file, _bytes(model.inputs[key]))
        return library.run_graph(built, model.graph, fed, model.expected)


def largest(actual: Mapping[str, Array], model: Sample) -> float:
    """Returns the largest error of a model's outputs."""
    return max(error(actual[name], expected) for name, expected in model.expected.items())
