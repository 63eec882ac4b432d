"""Builds one library for models of Keras 3, and runs them in it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from demo import library, nested
from demo.library import Library
from demo.nested import NestedError, Workspace
from keras3.samples import Array, Sample
from tfcarve.proof.difference import difference, largest_difference

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
        folder = Path(name)
        fed = {key: folder / f"input{i}.npy" for i, key in enumerate(model.inputs)}
        for key, file in fed.items():
            np.save(file, _bytes(model.inputs[key]))
        files = {key: folder / f"output{i}.npy" for i, key in enumerate(model.expected)}
        command = [
            *(str(built.runner), str(model.graph)),
            *(f"--input={key}={file}" for key, file in fed.items()),
            *(f"--output={key}={file}" for key, file in files.items()),
        ]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise NestedError(f"{model.name} did not run: {done.stderr.strip()}")
        return {key: np.load(file) for key, file in files.items()}


def largest(actual: dict[str, Array], model: Sample) -> float:
    """Returns the largest difference of numbers from Keras' outputs, divided by 1 + |expected|; infinite if others differ."""
    return max(
        largest_difference(actual[name], expected)
        if expected.dtype.kind in "fiu" and actual[name].shape == expected.shape
        else float("inf" if difference(actual[name], expected, {}) else 0)
        for name, expected in model.expected.items()
    )
