"""The models that the tests and the demo build libraries for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf

from models import benchmarked, frozen
from models.frozen import Array


@dataclass(frozen=True)
class Made:
    """A frozen graph, an input for it and what full TensorFlow makes of that.

    Attributes:
      keras: the model that the graph was frozen from; None where it was drawn by hand.
    """

    graph: Any
    input: Array
    output: Array
    keras: Any = None


# What the parameters of batch normalizations are drawn from, by their names.
_RANGES = {
    "gamma:0": (0.7, 1.3),
    "beta:0": (-0.3, 0.3),
    "moving_mean:0": (-0.3, 0.3),
    "moving_variance:0": (0.7, 1.3),
}


def _classifier(model: Any) -> Made:
    """A Keras classifier with random weights, frozen.

    Fresh weights give every class the same probability to four digits, and then any
    wrong output would look right: so the last layer's weights are scaled up until the
    classes differ.
    """
    fed = _drawn(model)
    _vary_normalizations(model)
    graph = frozen.freeze(_spread(model, fed))
    (output,) = frozen.run(graph, {frozen.INPUT: fed}, [frozen.OUTPUT])
    return Made(graph, fed, output, model)


def _vary_normalizations(model: Any) -> None:
    """Draws the parameters of batch normalizations.

    Fresh ones are zeros and ones, which change nothing: a wrong normalization would look right.
    """
    drawn = np.random.default_rng(frozen.SEED)
    for layer in model.layers:
        if isinstance(layer, tf.keras.layers.BatchNormalization):
            layer.set_weights(
                [
                    drawn.uniform(*_RANGES[weight.name.rpartition("/")[2]], weight.shape)
                    for weight in layer.weights
                ]
            )


def _drawn(model: Any) -> Array:
    """An input for a model: noise, or any tokens of a vocabulary."""
    shape = [1, *model.input_shape[1:]]
    if model.input.dtype == tf.int32:
        return frozen.tokens(shape)
    return frozen.image(shape)


def _spread(model: Any, fed: Array) -> Any:
    last = model.layers[-1]
    kernel, bias = last.get_weights()
    before = tf.keras.Model(model.input, model.layers[-2].output)
    logits = before(fed, training=False) @ kernel
    # Rounded to a power of two, so that the last bits of a sum do not decide.
    scale = np.exp2(np.round(np.log2(2.0 / np.std(logits))))
    last.set_weights([kernel * np.float32(scale), bias])
    return model


def inception_v3() -> Made:
    """Inception v3: 96 MB, the model that TensorFlow's own size figures are for."""
    frozen.seeded()
    return _classifier(tf.keras.applications.InceptionV3(weights=None))


def mobilenet_v2() -> Made:
    """MobileNet v2: needs Relu6 and depthwise convolution, which Inception does not."""
    frozen.seeded()
    return _classifier(tf.keras.applications.MobileNetV2(weights=None))


def resnet_50() -> Made:
    """ResNet-50: convolutions of one pixel, and sums of what two branches give."""
    frozen.seeded()
    return _classifier(tf.keras.applications.ResNet50(weights=None))


def lstm() -> Made:
    """An LSTM over 16 steps, in the while loop that a session runs (Enter, Merge, Switch, Exit)."""
    frozen.seeded()
    layers = tf.keras.layers
    steps = [layers.Input((16, 8)), layers.LSTM(32), layers.Dense(10, activation="softmax")]
    return _classifier(tf.keras.Sequential(steps))


def lstm_256() -> Made:
    """An LSTM large enough to measure its speed."""
    frozen.seeded()
    return _classifier(benchmarked.lstm_256())


def transformer() -> Made:
    """A transformer encoder: products of batches, layer normalisation, GELU."""
    frozen.seeded()
    return _classifier(benchmarked.transformer())


def audio_cnn() -> Made:
    """Convolutions over a waveform, and batch normalisation that is not fused."""
    frozen.seeded()
    return _classifier(benchmarked.audio_cnn())


def tiny() -> Made:
    """Five nodes: a dense layer, and the custom op AppScale of tests/e2e/bzlmod.

    TensorFlow does not know that op, so what it must give comes from the same graph
    with a multiplication in its place.
    """
    factor = 3.0
    weights = np.arange(-6, 6, dtype=np.float32).reshape(4, 3)
    fed = np.array([[1, 2, 3, 4], [-1, 0, 1, 2]], np.float32)
    with tf.Graph().as_default() as drawn:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name=frozen.INPUT)
        dense = tf.nn.relu(
            tf.matmul(x, tf.constant(weights, name="weights"), name="dense"), name="relu"
        )
        scaled = tf.multiply(dense, tf.constant(factor, name="factor"), name="scale")
        tf.identity(scaled, name=frozen.OUTPUT)
    known = drawn.as_graph_def()
    (output,) = frozen.run(known, {frozen.INPUT: fed}, [frozen.OUTPUT])

    graph = tf.compat.v1.GraphDef()
    graph.CopyFrom(known)
    kept = [node for node in graph.node if node.name != "factor"]
    for node in kept:
        if node.name == "scale":
            node.op = "AppScale"
            del node.input[1:]
            node.attr["factor"].f = factor
    del graph.node[:]
    graph.node.extend(kept)
    return Made(graph, fed, output)


MODELS: Mapping[str, Callable[[], Made]] = MappingProxyType(
    {
        "audio_cnn": audio_cnn,
        "inception_v3": inception_v3,
        "lstm": lstm,
        "lstm_256": lstm_256,
        "mobilenet_v2": mobilenet_v2,
        "resnet_50": resnet_50,
        "tiny": tiny,
        "transformer": transformer,
    }
)
