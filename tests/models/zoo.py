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
class ZooModel:
    """A frozen graph, an input for it and full TensorFlow's output.

    Attributes:
      keras: the Keras model that the graph was frozen from; None for a graph without one.
    """

    graph: Any
    input: Array
    output: Array
    keras: Any = None


# The ranges of the random parameters of batch normalizations, by name.
_RANGES = {
    "gamma:0": (0.7, 1.3),
    "beta:0": (-0.3, 0.3),
    "moving_mean:0": (-0.3, 0.3),
    "moving_variance:0": (0.7, 1.3),
}


def _classifier(model: Any) -> ZooModel:
    """Freezes a Keras classifier with random weights.

    With initial weights, the probabilities of all classes are equal to four digits, so a
    wrong output would look right. The last layer's weights are scaled up until they differ.
    """
    array = _input_for(model)
    _vary_normalizations(model)
    graph = frozen.freeze(_spread(model, array))
    (output,) = frozen.run(graph, {frozen.INPUT: array}, [frozen.OUTPUT])
    return ZooModel(graph, array, output, model)


def _vary_normalizations(model: Any) -> None:
    """Sets the parameters of batch normalizations to random values.

    The initial ones, zeros and ones, have no effect, so a wrong normalization would look right.
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


def _input_for(model: Any) -> Array:
    """Returns an input for a model: noise or random tokens."""
    shape = [1, *model.input_shape[1:]]
    if model.input.dtype == tf.int32:
        return frozen.tokens(shape)
    return frozen.image(shape)


def _spread(model: Any, array: Array) -> Any:
    last = model.layers[-1]
    kernel, bias = last.get_weights()
    before = tf.keras.Model(model.input, model.layers[-2].output)
    logits = before(array, training=False) @ kernel
    # Rounded to a power of two, so that the scale does not depend on the last bits of a sum.
    scale = np.exp2(np.round(np.log2(2.0 / np.std(logits))))
    last.set_weights([kernel * np.float32(scale), bias])
    return model


def inception_v3() -> ZooModel:
    """Inception v3, 96 MB: the model for which TensorFlow published library sizes."""
    frozen.seeded()
    return _classifier(tf.keras.applications.InceptionV3(weights=None))


def mobilenet_v2() -> ZooModel:
    """MobileNet v2: Relu6 and depthwise convolutions, which Inception does not have."""
    frozen.seeded()
    return _classifier(tf.keras.applications.MobileNetV2(weights=None))


def resnet_50() -> ZooModel:
    """ResNet-50: 1x1 convolutions and residual additions."""
    frozen.seeded()
    return _classifier(tf.keras.applications.ResNet50(weights=None))


def efficientnet_b0() -> ZooModel:
    """EfficientNet B0: depthwise convolutions, squeeze and excitation, Sigmoid."""
    frozen.seeded()
    return _classifier(tf.keras.applications.EfficientNetB0(weights=None))


def lstm() -> ZooModel:
    """An LSTM over 16 steps, as a while loop of Enter, Merge, Switch and Exit."""
    frozen.seeded()
    layers = tf.keras.layers
    steps = [layers.Input((16, 8)), layers.LSTM(32), layers.Dense(10, activation="softmax")]
    return _classifier(tf.keras.Sequential(steps))


def lstm_256() -> ZooModel:
    """An LSTM large enough for a speed benchmark."""
    frozen.seeded()
    return _classifier(benchmarked.lstm_256())


def transformer() -> ZooModel:
    """A transformer encoder: batched matrix products, layer normalization, GELU."""
    frozen.seeded()
    return _classifier(benchmarked.transformer())


def audio_cnn() -> ZooModel:
    """Convolutions over a waveform, and batch normalization that is not fused."""
    frozen.seeded()
    return _classifier(benchmarked.audio_cnn())


def tiny() -> ZooModel:
    """Five nodes: a dense layer, and the custom op AppScale of tests/e2e/bzlmod.

    TensorFlow does not have that op, so the expected output comes from the same graph
    with a multiplication instead.
    """
    factor = 3.0
    weights = np.arange(-6, 6, dtype=np.float32).reshape(4, 3)
    array = np.array([[1, 2, 3, 4], [-1, 0, 1, 2]], np.float32)
    with tf.Graph().as_default() as reference:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name=frozen.INPUT)
        dense = tf.nn.relu(
            tf.matmul(x, tf.constant(weights, name="weights"), name="dense"), name="relu"
        )
        scaled = tf.multiply(dense, tf.constant(factor, name="factor"), name="scale")
        tf.identity(scaled, name=frozen.OUTPUT)
    known = reference.as_graph_def()
    (output,) = frozen.run(known, {frozen.INPUT: array}, [frozen.OUTPUT])

    graph = tf.compat.v1.GraphDef()
    graph.CopyFrom(known)
    nodes = [node for node in graph.node if node.name != "factor"]
    for node in nodes:
        if node.name == "scale":
            node.op = "AppScale"
            del node.input[1:]
            node.attr["factor"].f = factor
    del graph.node[:]
    graph.node.extend(nodes)
    return ZooModel(graph, array, output)


MODELS: Mapping[str, Callable[[], ZooModel]] = MappingProxyType(
    {
        "audio_cnn": audio_cnn,
        "efficientnet_b0": efficientnet_b0,
        "inception_v3": inception_v3,
        "lstm": lstm,
        "lstm_256": lstm_256,
        "mobilenet_v2": mobilenet_v2,
        "resnet_50": resnet_50,
        "tiny": tiny,
        "transformer": transformer,
    }
)
