"""EfficientNet-Lite0, a classifier of photographs for phones, with trained weights from a PyTorch checkpoint.

Source: Mingxing Tan, Quoc V. Le, "EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks" (2019), and the
Lite variants of TensorFlow's TPU models: ReLU6, no squeeze and excitation, a stem and a head of fixed size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow as tf

SIZE = 224
_layers = tf.keras.layers
_Weights = Mapping[str, npt.NDArray[Any]]
# Of each stage: blocks, kernel size, stride of the first block, channels per input channel inside a block, outputs.
_STAGES = (
    (1, 3, 1, 1, 16),
    (2, 3, 2, 6, 24),
    (2, 5, 2, 6, 40),
    (3, 3, 2, 6, 80),
    (3, 5, 1, 6, 112),
    (4, 5, 2, 6, 192),
    (1, 3, 1, 6, 320),
)


class _Network:
    """Adds layers with the weights of a checkpoint."""

    def __init__(self, weights: _Weights) -> None:
        self._weights = weights

    def normalized(self, x: Any, name: str, *, active: bool = True) -> Any:
        layer = _layers.BatchNormalization(epsilon=1e-3)
        x = layer(x)
        parts = ("weight", "bias", "running_mean", "running_var")
        layer.set_weights([self._weights[f"{name}.{part}"] for part in parts])
        return tf.keras.layers.ReLU(6)(x) if active else x

    def convolved(self, x: Any, name: str, stride: int = 1) -> Any:
        kernel = self._weights[f"{name}.weight"]
        layer = _layers.Conv2D(
            kernel.shape[0], kernel.shape[2], stride, padding="same", use_bias=False
        )
        x = layer(x)
        layer.set_weights([kernel.transpose(2, 3, 1, 0)])
        return x

    def convolved_by_channel(self, x: Any, name: str, stride: int) -> Any:
        kernel = self._weights[f"{name}.weight"]
        layer = _layers.DepthwiseConv2D(kernel.shape[2], stride, padding="same", use_bias=False)
        x = layer(x)
        layer.set_weights([kernel.transpose(2, 3, 0, 1)])
        return x

    def block(self, x: Any, name: str, stride: int, expansion: int) -> Any:
        """An inverted residual block."""
        before = x
        if expansion > 1:
            x = self.normalized(self.convolved(x, f"{name}._expand_conv"), f"{name}._bn0")
        x = self.convolved_by_channel(x, f"{name}._depthwise_conv", stride)
        x = self.normalized(x, f"{name}._bn1")
        x = self.convolved(x, f"{name}._project_conv")
        x = self.normalized(x, f"{name}._bn2", active=False)
        return x + before if x.shape == before.shape else x

    def dense(self, x: Any, name: str) -> Any:
        kernel, bias = (self._weights[f"{name}.{part}"] for part in ("weight", "bias"))
        layer = _layers.Dense(len(bias), activation="softmax")
        x = layer(x)
        layer.set_weights([np.transpose(kernel), bias])
        return x


def model(weights: _Weights) -> Any:
    """Returns a Keras model: from images, float32 [n, 224, 224, 3] of -1 to 1, to probabilities [n, 1000].

    Args:
      weights: of the checkpoint efficientnet-lite0.
    """
    network = _Network(weights)
    inputs = _layers.Input((SIZE, SIZE, 3))
    x = network.normalized(network.convolved(inputs, "_conv_stem", 2), "_bn0")
    number = 0
    for blocks, _size, stride, expansion, _outputs in _STAGES:
        for index in range(blocks):
            x = network.block(x, f"_blocks.{number}", stride if index == 0 else 1, expansion)
            number += 1
    x = network.normalized(network.convolved(x, "_conv_head"), "_bn1")
    return tf.keras.Model(inputs, network.dense(_layers.GlobalAveragePooling2D()(x), "_fc"))
