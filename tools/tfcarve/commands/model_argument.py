"""Reads the model that a command shows, and freezes it if the options require a frozen model."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from tfcarve.commands import freeze_options
from tfcarve.commands.read_model import is_to_freeze, read_frozen, read_model
from tfcarve.models import keras
from tfcarve.models.choice import Choice
from tfcarve.models.node_use import Model
from tfcarve.releases.release import Release


@dataclass(frozen=True, slots=True)
class ModelArgument:
    """A model, and the options of `tfcarve freeze` with which it was frozen, or None."""

    model: Model
    frozen_with: tuple[str, ...] | None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declares --freeze and the options of freezing."""
    parser.add_argument(
        "--freeze",
        action="store_true",
        help="freezes a SavedModel or MetaGraphDef first; requires tensorflow",
    )
    freeze_options.add_graph(parser)
    freeze_options.add_tensors(parser)
    freeze_options.add_freeze(parser)


def read(path: Path, release: Release, arguments: argparse.Namespace) -> ModelArgument:
    """Reads the model at `path` for a release; `arguments` has the options of add_options.

    Raises InvalidInput if it is not a model, or cannot be frozen.
    """
    options = freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, arguments.outputs
    )
    words = freeze_options.words(arguments)
    if is_to_freeze(path, options, arguments.freeze):
        return ModelArgument(read_frozen(path, release, options), words)
    signatures = (arguments.signature,) if arguments.signature else ()
    model = read_model(path, release, Choice(arguments.tags or (), signatures))
    return ModelArgument(model, words if path.suffix.lower() in keras.SUFFIXES else None)
