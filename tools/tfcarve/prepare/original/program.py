"""The program that runs a model as TensorFlow loads it; tfcarve.full_tensorflow runs it in a child process.

usage: program FOLDER, with FOLDER/request; writes FOLDER/result.

A SavedModel, or the one that Keras exports, is loaded by TensorFlow's own loader: that of TensorFlow 1 for a signature, that of
TensorFlow 2 for a function. A GraphDef or MetaGraphDef is imported and gets its variables from the checkpoint.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from tfcarve import op_library_loading
from tfcarve.errors import InvalidInput
from tfcarve.models.saved_functions import Function
from tfcarve.prepare.framing import receive, send
from tfcarve.prepare.freeze import fixed
from tfcarve.prepare.freeze.interface import Port, interface
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.program import EXPORTED, load_source
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.original.function_call import loaded_function
from tfcarve.prepare.original.messages import REQUEST, RunRequest, RunResult
from tfcarve.prepare.original.variables import restore
from tfcarve.prepare.session_config import session_config
from tfcarve.prepare.tensors import Array

_v1 = tf.compat.v1
_UNRUNNABLE = (ValueError, TypeError, KeyError, tf.errors.OpError)


def _full_name(tensor: str) -> str:
    node, port = parsed(tensor)
    return f"{node}:{port}"


# Computes the requested outputs for values of the requested inputs.
_Compute = Callable[[Sequence[Any]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class _Ends:
    """The inputs and outputs of the frozen graph by name, and the values of constant inputs by their Placeholder."""

    inputs: Mapping[str, Port]
    outputs: Mapping[str, Port]
    fixed: Mapping[str, Array]


def _ends(loaded: Loaded, request: RunRequest) -> _Ends:
    """Returns the inputs and outputs; raises InvalidInput if a requested output is missing."""
    model = request.model
    sides = interface(loaded, model.options, Ops(loaded.graph.library.function), model.name)
    inputs = {port.name: port for port in sides.inputs or ()}
    outputs = {port.name: port for port in sides.outputs}
    missing = [name for name in request.outputs if name not in outputs]
    if missing:
        raise InvalidInput(
            f"{model.name}: {missing[0]!r} is not an output of the model: it has {', '.join(outputs)}"
        )
    return _Ends(inputs, outputs, fixed.values(loaded, sides, model.options))


def _saved_model(model: Request, folder: Path) -> Path:
    return folder / EXPORTED if model.kind == "keras" else Path(model.path)


def _function(loaded: Loaded, function: Function, request: RunRequest, folder: Path) -> _Compute:
    """Returns a computation with a function of a SavedModel."""
    ends = _ends(loaded, request)
    model = request.model
    call = loaded_function(_saved_model(model, folder), model.options.tags, function)
    constant = {
        port.given: ends.fixed[node]
        for port in ends.inputs.values()
        if (node := parsed(port.tensor)[0]) in ends.fixed
    }

    def compute(values: Sequence[Any]) -> list[Any]:
        given = [ends.inputs[name].given for name in request.inputs]
        found = call(constant | dict(zip(given, values, strict=True)))
        return [found[ends.outputs[name].given] for name in request.outputs]

    return compute


@contextmanager
def _session(loaded: Loaded, request: RunRequest, folder: Path) -> Iterator[_Compute]:
    """Yields a computation with the graph of the model."""
    ends = _ends(loaded, request)
    fed = [_full_name(ends.inputs[n].tensor if n in ends.inputs else n) for n in request.inputs]
    fetched = [_full_name(ends.outputs[name].tensor) for name in request.outputs]
    constant = {_full_name(name): value for name, value in ends.fixed.items()}
    config = _v1.ConfigProto.FromString(session_config(threads=1))
    with tf.Graph().as_default() as graph, _v1.Session(graph=graph, config=config) as session:
        _load(session, loaded, request.model, folder, fetched)
        yield lambda values: session.run(fetched, constant | dict(zip(fed, values, strict=True)))


def _load(session: Any, loaded: Loaded, model: Request, folder: Path, outputs: list[str]) -> None:
    if model.kind in ("saved_model", "keras"):
        _v1.saved_model.load(session, model.options.tags, str(_saved_model(model, folder)))
        return
    with session.graph.as_default():
        tf.import_graph_def(loaded.graph, name="")
    restore(session, loaded, model, outputs)


def _run(request: RunRequest, parts: Sequence[bytes], folder: Path, results: list[bytes]) -> None:
    """Appends the values of the outputs for each sample to `results`."""
    loaded = load_source(request.model, folder)
    count = len(request.inputs)
    with (
        _session(loaded, request, folder)
        if loaded.function is None
        else nullcontext(_function(loaded, loaded.function, request, folder))
    ) as compute:
        for number in range(request.samples):
            fed = parts[number * count : (number + 1) * count]
            values = [tf.make_ndarray(tensor_pb2.TensorProto.FromString(part)) for part in fed]
            results += [tf.make_tensor_proto(a).SerializeToString() for a in compute(values)]


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
    results: list[bytes] = []
    try:
        op_library_loading.load(request.model.options.op_libraries)
        error, results = run(request, parts, folder)
    except InvalidInput as invalid:
        error = str(invalid)
    with (folder / "result").open("wb") as stream:
        send(stream, RunResult(error=error), results)


if __name__ == "__main__":
    main(*sys.argv[1:])
