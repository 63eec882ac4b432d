"""Keras models of the speed benchmark, with sizes that are typical for apps."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

_layers = tf.keras.layers
_TOKENS = 8000
_SEQUENCE = 128
_WIDTH = 256
_HEADS = 4
_BLOCKS = 4
_SAMPLES = 16000


def lstm_256() -> Any:
    """An LSTM of 256 units over 64 steps of 40 features, like those of log-mel spectrograms."""
    return tf.keras.Sequential(
        [
            _layers.Input((64, 40)),
            _layers.LSTM(256),
            _layers.Dense(10, activation="softmax"),
        ]
    )


class _Embedding(tf.keras.layers.Layer):  # type: ignore[misc]
    """Embeds tokens and their positions."""

    def __init__(self) -> None:
        super().__init__()
        self._tokens = _layers.Embedding(_TOKENS, _WIDTH)
        self._positions = _layers.Embedding(_SEQUENCE, _WIDTH)

    def call(self, tokens: Any) -> Any:
        return self._tokens(tokens) + self._positions(tf.range(_SEQUENCE))


def transformer() -> Any:
    """A transformer encoder over 128 tokens: 4 blocks, 4 heads, width 256, GELU."""
    tokens = _layers.Input((_SEQUENCE,), dtype=tf.int32)
    x = _Embedding()(tokens)
    for _ in range(_BLOCKS):
        attended = _layers.MultiHeadAttention(_HEADS, _WIDTH // _HEADS)(x, x)
        x = _layers.LayerNormalization(epsilon=1e-6)(x + attended)
        wide = _layers.Dense(4 * _WIDTH, activation="gelu")(x)
        x = _layers.LayerNormalization(epsilon=1e-6)(x + _layers.Dense(_WIDTH)(wide))
    pooled = _layers.GlobalAveragePooling1D()(x)
    return tf.keras.Model(tokens, _layers.Dense(10, activation="softmax")(pooled))


def audio_cnn() -> Any:
    """A 1-D CNN over one second of sound at 16 kHz: four convolutions, 35 classes."""
    sound = _layers.Input((_SAMPLES, 1))
    x = sound
    for filters, width, stride in ((128, 80, 4), (128, 3, 1), (256, 3, 1), (512, 3, 1)):
        x = _layers.Conv1D(filters, width, stride, padding="same")(x)
        x = _layers.ReLU()(_layers.BatchNormalization()(x))
        x = _layers.MaxPooling1D(4)(x)
    pooled = _layers.GlobalAveragePooling1D()(x)
    return tf.keras.Model(sound, _layers.Dense(35, activation="softmax")(pooled))
