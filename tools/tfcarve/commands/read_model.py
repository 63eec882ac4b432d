"""Reads the models of a command: freezes the models that must be frozen, and reads the graphs."""

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.models import hashing, keras, read
from tfcarve.models.choice import ALL, Choice
from tfcarve.models.mapped_file import mapped
from tfcarve.models.model_functions import has_function
from tfcarve.models.node_use import Model
from tfcarve.models.signature_def import Signature, SignatureTensor
from tfcarve.releases.release import Release

if TYPE_CHECKING:
    from tfcarve.prepare.freeze.request import Options
    from tfcarve.prepare.freeze.result import Result


def _signature(result: "Result") -> Signature:
    """Returns the signature that was frozen: its inputs and outputs are nodes."""
    inputs, outputs = (
        tuple(
            SignatureTensor(t.given, (f"{t.name}:0",), t.dtype, t.shape)
            for t in sorted(side, key=lambda t: t.given)
        )
        for side in (result.inputs, result.outputs)
    )
    return Signature(inputs, outputs)


def _frozen(path: Path, release: Release, options: "Options", digest: Callable[[], str]) -> Model:
    from tfcarve.commands import common
    from tfcarve.prepare.freeze import run  # only commands that freeze load it

    with run.frozen(path, release, options) as done:
        model = read.read(done.path, name=str(path))
        common.notes(done.result.notes)
    outputs = frozenset(tensor.name for tensor in done.result.outputs)
    signatures = {} if options.outputs else {options.signature: _signature(done.result)}
    return replace(model, digest=digest, signatures=signatures, outputs=outputs)


def read_frozen(
    path: Path,
    release: Release,
    options: "Options",
    sha256: Callable[[Path], str] = hashing.sha256,
) -> Model:
    """Freezes a model, and reads the frozen graph.

    Args:
      path: a SavedModel directory or the file in it, a GraphDef or a MetaGraphDef.
      release: the TensorFlow release that runs the frozen graph.
      options: the options of freezing.
      sha256: returns the SHA-256 of a file, for the model's digest.

    Returns:
      The model, with the path, format and digest of `path`.

    Raises:
      InvalidInput: the model cannot be frozen, or TensorFlow is not installed.
    """
    from tfcarve.prepare.freeze.source import kind

    model = _frozen(path, release, options, functools.partial(sha256, read.model_file(path)))
    return replace(model, format=kind(path))


def is_to_freeze(path: Path, options: "Options", freeze: bool) -> bool:
    """Returns whether a model is frozen before it is read.

    Args:
      path: a model in a format that select reads.
      options: the options of freezing.
      freeze: SavedModels and MetaGraphDefs are frozen even if the options do not require it.
    """
    from tfcarve.prepare.freeze.request import requires_freezing
    from tfcarve.prepare.freeze.source import NO_GRAPH

    if options.inputs or options.outputs or options.checkpoint:
        return True
    if requires_freezing(options) and path.suffix.lower() not in NO_GRAPH:
        return True
    return freeze and (read.is_saved_model(path) or path.suffix.lower() == ".meta")


def signatures_to_freeze(path: Path, release: Release, choice: Choice) -> tuple[str, ...]:
    """Returns the signatures of `choice` that a model has, also functions of a SavedModel.

    Raises:
      InvalidInput: the model has none of the signatures, or cannot be read.
    """
    model = read_model(path, release, Choice(choice.tags))
    found = [n for n in choice.signatures if n in model.signatures or has_function(model, n)]
    return tuple(found) or tuple(read_model(path, release, choice).signatures)


def _read_keras(path: Path, release: Release, choice: Choice, digest: Callable[[], str]) -> Model:
    from tfcarve.prepare.freeze.request import DEFAULTS

    mapped(path)  # reports a missing or empty file
    keras.require_signature(path, choice.signatures)
    return replace(_frozen(path, release, DEFAULTS, digest), format="keras")


def read_model(
    path: Path,
    release: Release,
    choice: Choice = ALL,
    sha256: Callable[[Path], str] = hashing.sha256,
) -> Model:
    """Reads a model of any kind.

    A Keras file is frozen first, because only full TensorFlow can load it. Other models are read as they are: a
    SavedModel may be trained on the device. `read_frozen` returns the smaller graph that an app needs for inference.

    Args:
      path: a file or a SavedModel directory.
      release: the TensorFlow release that runs the graph of a Keras file.
      choice: the graphs and signatures of a SavedModel or MetaGraph to read.
      sha256: returns the SHA-256 of a file, for the model's digest.

    Raises:
      InvalidInput: the file is not a model or has nothing that `choice` selects, or a Keras file cannot be frozen.
    """
    if path.suffix.lower() in keras.SUFFIXES:
        return _read_keras(path, release, choice, functools.partial(sha256, path))
    return read.read(path, choice, sha256)
