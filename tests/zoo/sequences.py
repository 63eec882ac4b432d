"""Models for sequences: recurrent layers, attention, and lowered and functional control flow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from zoo.building import Builder, Builders, Saved, floats, frozen, network


def _recurrent(layer: str, lower: bool) -> Builder:
    def build() -> Any:
        layer_class = getattr(tf.keras.layers, layer)
        return network(tf.keras.Sequential([tf.keras.Input((4, 2)), layer_class(3)]), lower)

    return build


def _both_ways() -> Any:
    layers = tf.keras.layers
    inner = layers.Bidirectional(layers.LSTM(3, return_sequences=True))
    return network(tf.keras.Sequential([tf.keras.Input((4, 2)), inner, layers.Conv1D(2, 2)]))


def _saved_recurrent() -> Any:
    return Saved(tf.keras.Sequential([tf.keras.Input((4, 2)), tf.keras.layers.LSTM(3)]))


def _transformer() -> Any:
    layers = tf.keras.layers
    taken = layers.Input((5, 8))
    seen = layers.LayerNormalization()(taken + layers.MultiHeadAttention(2, 4)(taken, taken))
    thought = layers.Dense(8)(layers.Dense(16, activation="gelu")(seen))
    return network(tf.keras.Model(taken, layers.LayerNormalization()(seen + thought)))


def _masked_attention(query: Any, value: Any) -> Any:
    scores = tf.einsum("bqd,bvd->bqv", query, value) / 2.0
    mask = tf.linalg.band_part(tf.ones_like(scores), -1, 0)
    weights = tf.nn.softmax(tf.where(mask > 0, scores, -1e9))
    return tf.einsum("bqv,bvd->bqd", weights, value)


def _loop(x: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), (0, x))


def _branch(x: Any) -> Any:
    return tf.cond(x[0] > 0, lambda: tf.exp(x), lambda: -x)


def _switch(i: Any, x: Any) -> Any:
    return tf.switch_case(i, [lambda: x, lambda: tf.sqrt(x), lambda: tf.math.sin(x)])


def _collect(x: Any) -> Any:
    return tf.map_fn(lambda row: tf.scan(lambda a, b: a + b, row), x)


def _speech(x: Any) -> Any:
    lengths = tf.constant([4])
    beams, _ = tf.nn.ctc_beam_search_decoder(x, lengths, 2)
    greedy, _ = tf.nn.ctc_greedy_decoder(x, lengths)
    return tf.sparse.to_dense(beams[0]), tf.sparse.to_dense(greedy[0])


MODELS: Builders = {
    "LSTM, lowered": _recurrent("LSTM", True),
    "LSTM, functional": _recurrent("LSTM", False),
    "GRU, lowered": _recurrent("GRU", True),
    "GRU, functional": _recurrent("GRU", False),
    "LSTM, SavedModel": _saved_recurrent,
    "bidirectional": _both_ways,
    "transformer": _transformer,
    "masked attention": lambda: frozen(_masked_attention, floats(1, 3, 4), floats(1, 5, 4)),
    "loop, lowered": lambda: frozen(_loop, floats(2)),
    "loop, functional": lambda: frozen(_loop, floats(2), lower=False),
    "branch, lowered": lambda: frozen(_branch, floats(2)),
    "branch, functional": lambda: frozen(_branch, floats(2), lower=False),
    "switch, lowered": lambda: frozen(_switch, tf.TensorSpec([], tf.int32), floats(2)),
    "switch, functional": lambda: frozen(
        _switch, tf.TensorSpec([], tf.int32), floats(2), lower=False
    ),
    "map and scan": lambda: frozen(_collect, floats(2, 3), lower=False),
    "speech": lambda: frozen(_speech, floats(4, 1, 5)),
}
