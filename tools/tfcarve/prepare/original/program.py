"""The program that runs a model as TensorFlow loads it; tfcarve.full_tensorflow runs it in a child process.

usage: program FOLDER, with FOLDER/request; writes FOLDER/result.

A SavedModel, or the one that Keras exports, is loaded by TensorFlow's own loader; a GraphDef or MetaGraphDef is imported and
gets its variables from the checkpoint.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from tfcarve.errors import InvalidInput
from tfcarve.prepare.framing import receive, send
from tfcarve.prepare.freeze.fixed import values
from tfcarve.prepare.freeze.interface import interface
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.program import EXPORTED, load_source
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.original.messages import REQUEST, RunRequest, RunResult
from tfcarve.prepare.original.variables import restore
from tfcarve.prepare.session_config import session_config
from tfcarve.prepare.tensors import Array

_v1 = tf.compat.v1
_UNRUNNABLE = (ValueError, TypeError, KeyError, tf.errors.OpError)


def _full_name(tensor: str) -> str:
    node, port = parsed(tensor)
    return f"{node}:{port}"


def _tensors(loaded: Loaded, request: RunRequest) -> tuple[list[str], list[str], dict[str, Array]]:
    """Returns the tensors of the inputs and outputs in the model's graph, and the values of tensors that are constant."""
    model = request.model
    sides = interface(loaded, model.options, Ops(loaded.graph.library.function), model.name)
    fixed = values(loaded, sides, model.options)
    inputs = {port.name: port.tensor for port in sides.inputs or ()}
    outputs = {port.name: port.tensor for port in sides.outputs}
    missing = [name for name in request.outputs if name not in outputs]
    if missing:
        raise InvalidInput(
            f"{model.name}: {missing[0]!r} is not an output of the model: it has {', '.join(outputs)}"
        )
    return (
        [_full_name(inputs.get(name, name)) for name in request.inputs],
        [_full_name(outputs[name]) for name in request.outputs],
        {_full_name(name): value for name, value in fixed.items()},
    )


def _load(session: Any, loaded: Loaded, model: Request, folder: Path, outputs: list[str]) -> None:
    if model.kind in ("saved_model", "keras"):
        path = folder / EXPORTED if model.kind == "keras" else Path(model.path)
        _v1.saved_model.load(session, model.options.tags, str(path))
        return
    with session.graph.as_default():
        tf.import_graph_def(loaded.graph, name="")
    restore(session, loaded, model, outputs)


def _run(request: RunRequest, parts: Sequence[bytes], folder: Path, results: list[bytes]) -> None:
    """Appends the values of the outputs for each sample to `results`."""
    loaded = load_source(request.model, folder)
    inputs, outputs, fixed = _tensors(loaded, request)
    config = _v1.ConfigProto.FromString(session_config(threads=1))
    with tf.Graph().as_default() as graph, _v1.Session(graph=graph, config=config) as session:
        _load(session, loaded, request.model, folder, outputs)
        for number in range(request.samples):
            fed = parts[number * len(inputs) : (number + 1) * len(inputs)]
            arrays = [tf.make_ndarray(tensor_pb2.TensorProto.FromString(part)) for part in fed]
            arrays = session.run(outputs, fixed | dict(zip(inputs, arrays, strict=True)))
            results += [tf.make_tensor_proto(array).SerializeToString() for array in arrays]


def run(request: RunRequest, parts: Sequence[bytes], folder: Path) -> tuple[str, list[bytes]]:
    """Runs the model of a request.

    Args:
      request: the request.
      parts: its serialized TensorProtos.
      folder: for temporary files.

    Returns:
      RunResult.error and the serialized TensorProtos of the outputs of all samples before it.
    """
    results: list[bytes] = []
    try:
        _run(request, parts, folder, results)
    except InvalidInput as invalid:
        return str(invalid), results
    except _UNRUNNABLE as raised:
        return reason(raised), results
    return "", results


def main(argument: str) -> None:
    """Runs the model in FOLDER/request."""
    folder = Path(argument)
    with (folder / "request").open("rb") as stream:
        request, parts = receive(stream, REQUEST)
    error, results = run(request, parts, folder)
    with (folder / "result").open("wb") as stream:
        send(stream, RunResult(error=error), results)


if __name__ == "__main__":
    main(*sys.argv[1:])
