"""Keras models with loops, frozen as `tfcarve freeze` does and as TensorFlow does."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import in_tests
import numpy as np
import prepared
import tensorflow as tf
from prepared import Array
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from tfcarve.newer import data as newer_data
from tfcarve.prepare.freeze import load, source
from tfcarve.prepare.freeze.frozen import frozen
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.graph.graph import Graph
from tfcarve.releases import known

L = tf.keras.layers
Model = Any
STEPS, FEATURES, UNITS = 6, 3, 4
INPUTS, OUTPUTS = ("x", "x_1", "x_2"), ("y", "y_1", "y_2")


def model(layers: Callable[[Any], Any], steps: int | None = STEPS, training: bool = False) -> Model:
    """Returns the model that `layers` builds on x [B, T, I], with nonzero weights."""
    return _drawn([L.Input((steps, FEATURES))], lambda x: layers(x), training)


def with_states(layers: Callable[[Any, Any, Any], Any], steps: int | None = STEPS) -> Model:
    """Returns the model that `layers` builds on x [B, T, I] and two states [B, U]."""
    states = [L.Input((UNITS,)), L.Input((UNITS,))]
    return _drawn([L.Input((steps, FEATURES)), *states], layers, False)


def _drawn(inputs: list[Any], layers: Callable[..., Any], training: bool) -> Model:
    made = tf.keras.Model(inputs, layers(*inputs))
    chance = np.random.default_rng(11)
    for weight in made.weights:
        weight.assign(chance.uniform(-1, 1, weight.shape))
    made.in_training = training
    return made


def names(made: Model) -> tuple[Sequence[str], Sequence[str]]:
    """Returns the names of the inputs and outputs of the frozen model."""
    return INPUTS[: len(made.inputs)], OUTPUTS[: len(made.outputs)]


def _function(made: Model, batch: int | None) -> Any:
    inputs, outputs = names(made)
    specs = [
        tf.TensorSpec([batch, *tensor.shape[1:]], tensor.dtype, name=name)
        for tensor, name in zip(made.inputs, inputs, strict=True)
    ]

    def call(*arguments: Any) -> Any:
        results = tf.nest.flatten(made(list(arguments), training=made.in_training))
        return {
            name: tf.identity(result, name=name)
            for name, result in zip(outputs, results, strict=True)
        }

    return tf.function(call, input_signature=specs)


def lowered(made: Model, batch: int | None) -> Graph:
    """Returns the model frozen by convert_variables_to_constants_v2: frames of Enter, Merge, Switch and Exit."""
    function = _function(made, batch).get_concrete_function()
    definition = convert_variables_to_constants_v2(function).graph.as_graph_def()
    needed = tf.compat.v1.graph_util.extract_sub_graph(definition, list(names(made)[1]))
    return prepared.from_tensorflow(needed)


def functional(made: Model, batch: int | None) -> Graph:
    """Returns the model frozen by `tfcarve freeze`: While and functions."""
    with tempfile.TemporaryDirectory() as name, _quiet():
        folder = Path(name)
        module = tf.Module()
        module.weights, module.call = made.weights, _function(made, batch)
        tf.saved_model.save(module, str(folder / "model"), signatures=module.call)
        wanted = source.request(folder / "model", known.release(), Options())
        tensorflow = in_tests.evaluator()
        return frozen(
            load.source(wanted, folder, tensorflow),
            wanted,
            tensorflow,
            newer_data.load(known.release()),
        ).graph


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silences TensorFlow's warnings about functions that a SavedModel omits."""
    logger = tf.get_logger()
    before = logger.level
    logger.setLevel("ERROR")
    try:
        yield
    finally:
        logger.setLevel(before)


FORMS: dict[str, Callable[[Model, int | None], Graph]] = {
    "functional": functional,
    "lowered": lowered,
}


def fed(made: Model, batch: int, steps: int = STEPS) -> dict[str, Array]:
    """Returns arrays for the inputs of a frozen model."""
    shapes = [[batch, steps, FEATURES], [batch, UNITS], [batch, UNITS]]
    chance = np.random.default_rng(batch)
    return {
        name: chance.uniform(-1, 1, shape).astype(np.float32)
        for name, shape in zip(names(made)[0], shapes, strict=False)
    }


def all_ops(graph: Graph) -> dict[str, int]:
    """Returns the number of nodes of each op in a graph and its functions."""
    found = prepared.ops(graph)
    for function in graph.library.function:
        found.update(node.op for node in function.node_def)
    return found
