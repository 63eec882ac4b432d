"""Reads the models that a command is given: freezes those that must be frozen, then reads the frozen graph."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.models import hashing, keras, read
from tfcarve.models.choice import ALL, Choice
from tfcarve.models.mapped_file import mapped
from tfcarve.models.node_use import Model

if TYPE_CHECKING:
    from tfcarve.prepare.freeze.request import Options


def _frozen(path: Path, options: "Options", digest: Callable[[], str]) -> Model:
    from tfcarve.prepare.freeze import run  # only commands that freeze load it

    with run.frozen(path, options) as done:
        model = read.read(done.path, name=str(path))
    outputs = frozenset(tensor.name for tensor in done.result.outputs)
    return replace(model, digest=digest, signatures=(options.signature,), outputs=outputs)


def read_frozen(
    path: Path,
    tags: Sequence[str] = (),
    signature: str = "",
    sha256: Callable[[Path], str] = hashing.sha256,
) -> Model:
    """Freezes a SavedModel for one of its signatures, and reads the frozen graph.

    Args:
      path: a SavedModel directory, or the file in it.
      tags: the tags of its graph; empty: "serve".
      signature: defines inputs and outputs; empty: serving_default.
      sha256: returns the SHA-256 of a file, for the model's digest.

    Returns:
      The model, with the path and digest of the SavedModel.

    Raises:
      InvalidInput: the model cannot be frozen, or TensorFlow is not installed.
    """
    from tfcarve.prepare.freeze.request import DEFAULTS, Options

    options = Options(tags=tuple(tags) or DEFAULTS.tags, signature=signature or DEFAULTS.signature)
    model = _frozen(path, options, functools.partial(sha256, read.model_file(path)))
    return replace(model, format="saved_model")


def _read_keras(path: Path, choice: Choice, digest: Callable[[], str]) -> Model:
    from tfcarve.prepare.freeze.request import DEFAULTS

    mapped(path)  # reports a missing or empty file
    keras.require_signature(path, choice.signatures)
    return replace(_frozen(path, DEFAULTS, digest), format="keras")


def read_model(
    path: Path, choice: Choice = ALL, sha256: Callable[[Path], str] = hashing.sha256
) -> Model:
    """Reads a model of any kind.

    A Keras file is frozen first, because only full TensorFlow can load it. Other models are read as they are: a
    SavedModel may be trained on the device. `read_frozen` returns the smaller graph that an app needs for inference.

    Args:
      path: a file or a SavedModel directory.
      choice: what to read of a SavedModel or MetaGraph.
      sha256: returns the SHA-256 of a file, for the model's digest.

    Raises:
      InvalidInput: as `read.read`, or a Keras file cannot be frozen.
    """
    if path.suffix.lower() in keras.SUFFIXES:
        return _read_keras(path, choice, functools.partial(sha256, path))
    return read.read(path, choice, sha256)
