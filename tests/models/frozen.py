"""Freezes Keras models and runs frozen graphs in full TensorFlow."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import (
    convert_variables_to_constants_v2,
)

Array = np.ndarray[Any, np.dtype[Any]]
SEED = 20231114
tf.get_logger().setLevel("ERROR")  # The only warning, of a deprecation, has no replacement.
INPUT = "input"
OUTPUT = "output"


def seeded() -> None:
    """Seeds TensorFlow's random numbers, so that they are the same in every process."""
    tf.keras.utils.set_random_seed(SEED)


def concrete(model: Any) -> Any:
    """Returns the function of a Keras model for a batch of one, with the names INPUT and OUTPUT."""
    signature = tf.TensorSpec([1, *model.input_shape[1:]], model.input.dtype, name=INPUT)
    function = tf.function(lambda x: tf.identity(model(x, training=False), name=OUTPUT))
    return function.get_concrete_function(signature)


def lite(model: Any) -> bytes:
    """Returns the .tflite file of a Keras model for a batch of one, in float, without Flex ops.

    The converter gets the function instead of the model: with a batch of unknown size, an LSTM
    would not become one op.
    """
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete(model)], model)
    return bytes(converter.convert())


def freeze(model: Any) -> Any:
    """Returns the GraphDef of a Keras model with its weights as constants.

    It has a Placeholder named INPUT, an Identity named OUTPUT, and only the nodes that the output needs.
    """
    frozen = convert_variables_to_constants_v2(concrete(model))
    graph = tf.compat.v1.graph_util.extract_sub_graph(frozen.graph.as_graph_def(), [OUTPUT])
    if len(graph.library.function):
        raise ValueError(f"{model.name} still calls functions")
    return graph


def run(graph: Any, feeds: Mapping[str, Array], outputs: Sequence[str]) -> list[Array]:
    """Returns full TensorFlow's outputs for a graph."""
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(graph, name="")
        with tf.compat.v1.Session(graph=imported) as session:
            return list(
                session.run(
                    [f"{name}:0" for name in outputs],
                    {f"{name}:0": value for name, value in feeds.items()},
                )
            )


def image(shape: Sequence[int]) -> Array:
    """Returns an image of noise in [-1, 1), the same in every process."""
    drawn = np.random.default_rng(SEED).random(tuple(shape), dtype=np.float32)
    return drawn * np.float32(2) - np.float32(1)


def tokens(shape: Sequence[int]) -> Array:
    """Returns random token IDs, the same in every process."""
    return np.random.default_rng(SEED).integers(0, 1000, tuple(shape), dtype=np.int32)


def write(path: Path, content: bytes) -> None:
    """Writes a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    partial.replace(path)
