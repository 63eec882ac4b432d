"""A small classifier, trained on pictures that are generated: ten signs, shifted, with noise and varying contrast.

The pinned packages ship no data set. The pictures are the same in every process.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import prepared
import tensorflow as tf
from prepared import Array
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from tfcarve.prepare.graph.graph import Graph

_SEED = 20261125
_SIZE = 16
_SIGNS = 10
_SHIFT = 2
_NOISE = 0.25
BATCH = 50


@dataclass(frozen=True)
class Pictures:
    """Pictures [N, 16, 16, 1] and the number of the sign on each."""

    images: Array
    labels: Array

    def batches(self) -> Array:
        """Returns the pictures in batches of BATCH, as samples of the classifier's input."""
        return self.images.reshape(-1, BATCH, *self.images.shape[1:])


def pictures(count: int, part: int) -> Pictures:
    """Returns pictures; those of different parts are independent."""
    signs = np.random.default_rng(_SEED).integers(0, 2, (_SIGNS, 6, 6)).astype(np.float32)
    drawn = np.random.default_rng((_SEED, part))
    labels = drawn.integers(0, _SIGNS, count)
    images = drawn.normal(0, _NOISE, (count, _SIZE, _SIZE, 1)).astype(np.float32)
    for image, label in zip(images, labels, strict=True):
        down, right = drawn.integers(0, 2 * _SHIFT + 1, 2) + (_SIZE - 6) // 2 - _SHIFT
        image[down : down + 6, right : right + 6, 0] += signs[label] * drawn.uniform(0.5, 1.5)
    return Pictures(images, labels)


def _model() -> tf.keras.Model:
    layers = tf.keras.layers

    def normalized(x: tf.Tensor, layer: tf.keras.layers.Layer, most: float | None) -> tf.Tensor:
        return layers.ReLU(most)(layers.BatchNormalization()(layer(x)))

    x = start = layers.Input((_SIZE, _SIZE, 1))
    x = normalized(x, layers.Conv2D(16, 3, padding="same", use_bias=False), None)
    x = normalized(x, layers.Conv2D(24, 3, 2, padding="same", use_bias=False), 6.0)
    y = normalized(x, layers.Conv2D(24, 3, padding="same", use_bias=False), None)
    x = layers.MaxPool2D()(layers.ReLU()(layers.add([x, y])))
    x = layers.Dense(48, "relu")(layers.Flatten()(x))
    return tf.keras.Model(start, layers.Dense(_SIGNS, "softmax")(x))


def classifier() -> Graph:
    """Returns a trained classifier: input x [BATCH, 16, 16, 1], output y, the probabilities of the signs."""
    tf.keras.utils.set_random_seed(_SEED)
    tf.config.experimental.enable_op_determinism()
    model = _model()
    model.compile(tf.keras.optimizers.Adam(2e-3), "sparse_categorical_crossentropy")
    training = pictures(8000, 0)
    model.fit(training.images, training.labels, batch_size=64, epochs=5, verbose=0)
    function = tf.function(lambda x: tf.identity(model(x, training=False), name="y"))
    spec = tf.TensorSpec((BATCH, _SIZE, _SIZE, 1), tf.float32, name="x")
    frozen = convert_variables_to_constants_v2(function.get_concrete_function(spec))
    return prepared.from_tensorflow(frozen.graph.as_graph_def())


def accuracy(graph: Graph, tested: Pictures) -> float:
    """Returns the share of pictures whose sign a classifier recognizes."""
    fed = [{"x": batch} for batch in tested.batches()]
    found = [outputs[0].argmax(-1) for outputs in prepared.ran_again(graph, fed, ["y"])]
    return float((np.concatenate(found) == tested.labels).mean())
