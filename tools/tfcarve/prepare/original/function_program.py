"""The program that runs a function of a SavedModel as TensorFlow 2 loads it, in a child process.

usage: function_program FOLDER, with FOLDER/request; writes FOLDER/result.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

from tfcarve import op_library_loading
from tfcarve.errors import InvalidInput
from tfcarve.models.saved_functions import Function
from tfcarve.prepare.evaluate.framing import receive, send
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.original.exchange import REQUEST_FILE, RESULT_FILE
from tfcarve.prepare.original.messages import FUNCTION_REQUEST, FunctionRequest, RunResult

_UNRUNNABLE = (OSError, ValueError, TypeError, KeyError, tf.errors.OpError)


def _concrete(model: Any, function: Function) -> Any:
    """Returns the concrete function in a model that TensorFlow has loaded."""
    view, found = tf.train.TrackableView(model), model
    for name in function.path:
        children = view.children(found)
        if name not in children:
            raise InvalidInput(f"TensorFlow does not load the function {function.name!r}")
        found = children[name]
    return getattr(found, "concrete_functions", [found])[function.index]


def _with_tensors(leaf: Any, tensors: list[Any]) -> Any:
    """Returns the value of an argument: a tensor, a composite tensor of several, or the constant that it was traced for."""
    if isinstance(leaf, tf.TensorSpec):
        return tf.constant(tensors.pop(0), leaf.dtype)
    if isinstance(leaf, tf.TypeSpec):
        parts = tf.nest.flatten(leaf, expand_composites=True)
        values = [_with_tensors(part, tensors) for part in parts]
        return tf.nest.pack_sequence_as(leaf, values, expand_composites=True)
    return leaf


def _loaded(request: FunctionRequest) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Returns a function that takes arrays by the names of the inputs, and returns arrays by the names of the outputs."""
    function = request.function
    model = tf.saved_model.load(request.folder, tags=list(request.tags))
    concrete = _concrete(model, function)
    structure = concrete.structured_input_signature

    def call(arrays: Mapping[str, Any]) -> dict[str, Any]:
        _ = model  # its variables live as long as it
        tensors = [arrays[tensor.name] for tensor in function.inputs]
        leaves = [_with_tensors(leaf, tensors) for leaf in tf.nest.flatten(structure)]
        args, kwargs = tf.nest.pack_sequence_as(structure, leaves)
        results = tf.nest.flatten(concrete(*args, **kwargs), expand_composites=True)
        values = [result.numpy() for result in results if tf.is_tensor(result)]
        names = [tensor.name for tensor in function.outputs]
        return dict(zip(names, values, strict=True))

    return call


def _run(request: FunctionRequest, parts: Sequence[bytes], results: list[bytes]) -> None:
    """Appends the values of the outputs for each sample to `results`."""
    op_library_loading.load(request.op_libraries)
    call = _loaded(request)
    count = len(request.inputs)
    for number in range(request.samples):
        fed = parts[number * count : (number + 1) * count]
        values = [tf.make_ndarray(tensor_pb2.TensorProto.FromString(part)) for part in fed]
        found = call(dict(zip(request.inputs, values, strict=True)))
        results += [tf.make_tensor_proto(found[o]).SerializeToString() for o in request.outputs]


def main(argument: str) -> None:
    """Runs the function in FOLDER/request."""
    folder = Path(argument)
    with (folder / REQUEST_FILE).open("rb") as stream:
        request, parts = receive(stream, FUNCTION_REQUEST)
    results: list[bytes] = []
    error = ""
    try:
        _run(request, parts, results)
    except InvalidInput as invalid:
        error = str(invalid)
    except _UNRUNNABLE as raised:
        error = reason(raised)
    with (folder / RESULT_FILE).open("wb") as stream:
        send(stream, RunResult(error=error), results)


if __name__ == "__main__":
    main(*sys.argv[1:])
