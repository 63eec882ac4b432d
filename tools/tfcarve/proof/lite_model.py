"""Runs a TensorFlow Lite model once, by the names of its inputs and outputs, in any package's interpreter."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tfcarve.nearest import nearest
from tfcarve.proof.difference import Array, type_name

# The signature that is run if none is named and the model has several; TensorFlow's converter gives it to most models.
_DEFAULT_SIGNATURE = "serving_default"

Arrays = Mapping[str, Array]


class LiteError(Exception):
    """A signature, input or output is unknown, or an input does not take an array. The text lists the valid names."""


@dataclass(frozen=True, slots=True)
class Runnable:
    """A signature of a model, or the whole model if it has no signatures.

    Attributes:
      title: for messages.
      inputs: the interpreter's details of each input, by name.
      outputs: the names of the outputs.
      invoke: takes an array for each input and returns one for each output.
    """

    title: str
    inputs: Mapping[str, Mapping[str, Any]]
    outputs: tuple[str, ...]
    invoke: Callable[[Arrays], Arrays]


def run(interpreter: Any, signature: str, feeds: Arrays, outputs: Sequence[str]) -> list[Array]:
    """Runs a model once.

    Args:
      interpreter: tf.lite.Interpreter, or the interpreter of another package.
      signature: the name of the signature; "" for serving_default or the only signature.
      feeds: an array for each input of the signature; if the model has no signatures, for each input tensor.
      outputs: outputs of the signature, or output tensors.

    Returns:
      The outputs.

    Raises:
      LiteError: a name is unknown, an input is missing, or an array has another type or shape than its input.
      RuntimeError, ValueError: the interpreter cannot run the model.
    """
    runnable = _runnable(interpreter, signature)
    for kind, names, known in (
        ("input", feeds, runnable.inputs),
        ("output", outputs, runnable.outputs),
    ):
        for name in names:
            _require(runnable.title, kind, name, known)
    for name, details in runnable.inputs.items():
        if name not in feeds:
            raise LiteError(
                f"{runnable.title} has the input {name!r}, which has no value: pass its value with --input"
            )
        _require_fit(name, feeds[name], details)
    found = runnable.invoke(feeds)
    return [found[name] for name in outputs]


def choose_signature(names: Sequence[str], wanted: str) -> str:
    """Returns the signature to run; "" if the model has none.

    Args:
      names: the model's signatures.
      wanted: the name of one; "" for the default.

    Raises:
      LiteError: there is no such signature, or there are several and no default.
    """
    if wanted:
        _require("the model", "signature", wanted, names)
        return wanted
    if _DEFAULT_SIGNATURE in names:
        return _DEFAULT_SIGNATURE
    if len(names) > 1:
        raise LiteError(
            f"the model has several signatures and none is {_DEFAULT_SIGNATURE}: name one of {_listed(names)}"
        )
    return names[0] if names else ""


def _runnable(interpreter: Any, signature: str) -> Runnable:
    name = choose_signature(tuple(interpreter.get_signature_list()), signature)
    if not name:
        return _whole_model(interpreter)
    runner = interpreter.get_signature_runner(name)
    return Runnable(
        f"the signature {name!r}",
        runner.get_input_details(),
        tuple(runner.get_output_details()),
        lambda feeds: runner(**feeds),
    )


def _whole_model(interpreter: Any) -> Runnable:
    inputs, outputs = (
        {details["name"]: details for details in side}
        for side in (interpreter.get_input_details(), interpreter.get_output_details())
    )

    def invoke(feeds: Arrays) -> Arrays:
        for name, array in feeds.items():
            interpreter.resize_tensor_input(inputs[name]["index"], array.shape)
        interpreter.allocate_tensors()
        for name, array in feeds.items():
            interpreter.set_tensor(inputs[name]["index"], array)
        interpreter.invoke()
        return {name: interpreter.get_tensor(details["index"]) for name, details in outputs.items()}

    return Runnable("the model", inputs, tuple(outputs), invoke)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _require(title: str, kind: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        near = nearest(name, known) or "."
        raise LiteError(f"{title} has no {kind} {name!r}{near} Known {kind}s: {_listed(known)}")


def _require_fit(name: str, array: Array, details: Mapping[str, Any]) -> None:
    """Raises LiteError unless an input takes an array: interpreters resize inputs without a check."""
    found, wanted = type_name(array.dtype), type_name(np.dtype(details["dtype"]))
    if found != wanted:
        raise LiteError(f"the input {name!r} has type {wanted}, its value {found}")
    # -1: any number; no dimensions: a scalar, or a tensor of any shape.
    shape = [int(size) for size in details["shape_signature"]]
    if shape and not _fits(array.shape, shape):
        raise LiteError(f"the input {name!r} has shape {shape}, its value {list(array.shape)}")


def _fits(found: Sequence[int], wanted: Sequence[int]) -> bool:
    return len(found) == len(wanted) and all(
        w in (-1, f) for f, w in zip(found, wanted, strict=True)
    )
