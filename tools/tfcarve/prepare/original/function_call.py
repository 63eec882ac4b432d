"""Calls a function of a SavedModel as TensorFlow loads it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tensorflow as tf

from tfcarve.errors import InvalidInput
from tfcarve.models.saved_functions import Function


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


def loaded_function(
    folder: Path, tags: Sequence[str], function: Function
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Loads a SavedModel and returns one of its functions.

    Args:
      folder: the SavedModel.
      tags: of its graph.
      function: the function.

    Returns:
      A function that takes arrays by the names of function.inputs, and returns arrays by those of function.outputs.

    Raises:
      InvalidInput: TensorFlow loads the model without the function.
      OSError, ValueError, tf.errors.OpError: TensorFlow cannot load the model.
    """
    model = tf.saved_model.load(str(folder), tags=list(tags))
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
