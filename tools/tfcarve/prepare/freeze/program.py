"""The program that freezes a model; tfcarve.full_tensorflow runs it in a child process.

usage: program FOLDER, with FOLDER/request.json; writes FOLDER/result.json and, on success, FOLDER/model.pb.
"""

import sys
from pathlib import Path
from typing import Any

import tensorflow as tf

from tfcarve import json_codec, op_library_loading
from tfcarve.errors import InvalidInput
from tfcarve.models.versions import Versions
from tfcarve.newer import data as newer_data
from tfcarve.newer import graph as newer_graph
from tfcarve.newer import graph_version
from tfcarve.newer.data import Newer
from tfcarve.prepare.freeze import keras_export, load
from tfcarve.prepare.freeze.frozen import Frozen, frozen
from tfcarve.prepare.freeze.interface import Port
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.result import Result, Tensor

REQUEST, RESULT, MODEL = "request.json", "result.json", "model.pb"
# The SavedModel that is exported from a Keras file.
EXPORTED = "saved_model"


def load_source(request: Request, folder: Path) -> load.Loaded:
    """Reads the model of a request; a Keras file is exported as FOLDER/EXPORTED."""
    if request.kind == "keras":
        exported = folder / EXPORTED
        keras_export.export(request, exported)
        return load.saved_model(request, exported)
    if request.kind == "saved_model":
        return load.saved_model(request, Path(request.path))
    return load.graph(request)


def _tensor(port: Port) -> Tensor:
    dims = None if port.shape.unknown_rank else tuple(d.size for d in port.shape.dim)
    return Tensor(name=port.name, given=port.given, dtype=tf.as_dtype(port.dtype).name, shape=dims)


def _versions(graph: Any) -> Versions:
    found = graph.versions
    return Versions(found.producer, found.min_consumer, frozenset(found.bad_consumers))


def _write(done: Frozen, folder: Path, newer: Newer) -> Result:
    nodes, functions = done.graph.node, done.graph.library.function
    newer_graph.drop(nodes, functions, newer)
    found = newer_graph.findings(nodes, functions, newer)
    found.require()
    data = done.graph.SerializeToString(deterministic=True)
    (folder / MODEL).write_bytes(data)
    return Result(
        inputs=tuple(map(_tensor, done.inputs)),
        outputs=tuple(map(_tensor, done.outputs)),
        notes=done.notes,
        newer=found.ops,
    )


def main(argument: str) -> None:
    """Freezes the model in FOLDER/request.json."""
    folder = Path(argument)
    file = folder / REQUEST
    request = json_codec.decode(file.read_bytes(), Request, str(file))
    newer = newer_data.of_built()
    try:
        op_library_loading.load(request.options.op_libraries)
        loaded = load_source(request, folder)
        graph_version.require(_versions(loaded.graph), newer.data)
        result = _write(frozen(loaded, request), folder, newer)
    except InvalidInput as error:
        result = Result(error=str(error))
    (folder / RESULT).write_bytes(json_codec.encode(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
