"""Chooses the reader for a model file, by the file's name and first bytes."""

import functools
from collections.abc import Callable
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.models import (
    graph_text,
    hashing,
    keras,
    memmapped,
    meta_graph,
    ops_list,
    proto_model,
    saved_model_folder,
    tflite,
)
from tfcarve.models.choice import ALL, Choice
from tfcarve.models.flatbuffer import FlatError
from tfcarve.models.lite_interface import lite_interface
from tfcarve.models.mapped_file import mapped
from tfcarve.models.node_use import Model
from tfcarve.models.proto_model import Source
from tfcarve.models.wire import Buffer

_LIST_SUFFIXES = (".json", ".yaml", ".yml")


def is_saved_model(path: Path) -> bool:
    """Returns whether `path` names a SavedModel: its directory, or the file in it."""
    return path.is_dir() or path.name in saved_model_folder.GRAPH_FILES


def model_file(path: Path) -> Path:
    """Returns the file that holds the graph of a model.

    Args:
      path: a file or a SavedModel directory.

    Raises:
      InvalidInput: the directory is not a SavedModel.
    """
    return saved_model_folder.graph_file(path) if path.is_dir() else path


def _graph(source: Source, data: Buffer, choice: Choice) -> Model:
    if graph_text.has_name(source.path):
        model = proto_model.from_text(source, data, choice)
    elif source.path.suffix.lower() == ".meta":
        model = proto_model.from_binary(source, data, "meta_graph", choice)
    elif meta_graph.is_saved_model(data):
        model = proto_model.from_binary(source, data, "saved_model", choice)
    elif memmapped.is_package(data):
        model = proto_model.from_binary(source, data, memmapped.FORMAT, choice)
    else:
        model = proto_model.from_binary(source, data, "graphdef", choice)
    if not model.nodes:
        raise InvalidInput(
            f"{source.path}: the graph has no nodes: pass a model that computes something"
        )
    return model


def read(
    path: Path,
    choice: Choice = ALL,
    sha256: Callable[[Path], str] = hashing.sha256,
    name: str = "",
) -> Model:
    """Reads the model at `path` as it is, without TensorFlow.

    A SavedModel or MetaGraph is read with its variables and all its signatures. A Keras file must be frozen before.

    Args:
      path: a file or a SavedModel directory.
      choice: the graphs and signatures of a SavedModel or MetaGraph to read.
      sha256: returns the SHA-256 of a file, for the model's digest.
      name: Model.path and NodeUse.model; empty: `path`.

    Raises:
      InvalidInput: the file is not a model, or has nothing that `choice` selects. The message states the file, the
        place in it and a valid input.
    """
    file = model_file(path)
    suffix = file.suffix.lower()
    source = Source(file, name or str(path), functools.partial(sha256, file))
    data = mapped(file)
    if suffix in keras.SUFFIXES:
        raise InvalidInput(
            f"{file}: is a Keras file: freeze it first: tfcarve freeze {file} -o model.pb"
        )
    if suffix in _LIST_SUFFIXES:
        ops = ops_list.from_bytes(data, file)
        return Model(
            source.name, source.digest, "ops-list", (), requests=ops.requests, training=ops.training
        )
    if suffix == ".tflite":
        try:
            flex_ops = tflite.flex_ops(data, source.name)
            lite = lite_interface(data)
        except FlatError as error:
            raise InvalidInput(f"{file}: {error}") from None
        return Model(source.name, source.digest, "tflite-flex", flex_ops, lite=lite)
    return _graph(source, data, choice)
