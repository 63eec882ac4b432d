"""Models for text, lookup tables, sparse and ragged values, and on-device training; most are SavedModels."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from zoo.building import Builders, Saved, floats, frozen

_TEXT = tf.TensorSpec([None], tf.string)


def _words() -> Any:
    module = tf.Module()
    known = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
    module.numbers = tf.lookup.StaticVocabularyTable(known, 2)
    back = tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2], tf.int64), ["a", "b"])
    module.names = tf.lookup.StaticHashTable(back, "?")
    module.vectors = tf.Variable(tf.ones([4, 2]))

    def look_up(text: Any) -> Any:
        words = tf.strings.split(tf.strings.regex_replace(tf.strings.lower(text), "[!?]", ""))
        numbers = module.numbers.lookup(words.to_tensor(""))
        return tf.nn.embedding_lookup(module.vectors, numbers), module.names.lookup(numbers)

    module.__call__ = tf.function(look_up, input_signature=[_TEXT])
    return Saved(module)


def _vectorizer() -> Any:
    layer = tf.keras.layers.TextVectorization(max_tokens=9, output_sequence_length=4)
    layer.set_vocabulary(["some", "words"])
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype=tf.string), layer])
    return Saved(model)


def _strings(text: Any) -> Any:
    hashed = tf.strings.to_hash_bucket_fast(
        tf.strings.join([text, tf.strings.substr(text, 0, 1)]), 9
    )
    number = tf.strings.to_number(tf.strings.as_string(hashed))
    return number, tf.strings.length(text), tf.io.decode_base64(tf.io.encode_base64(text))


def _examples(data: Any) -> Any:
    features = {
        "x": tf.io.FixedLenFeature([2], tf.float32),
        "y": tf.io.VarLenFeature(tf.int64),
        "z": tf.io.RaggedFeature(tf.string),
    }
    return tf.io.parse_example(data, features), tf.io.decode_csv(data, [[0.0], [""]])


def _sparse(x: Any) -> Any:
    some = tf.sparse.from_dense(x)
    full, _ = tf.sparse.fill_empty_rows(some, 1.0)
    sums = tf.sparse.reduce_sum(tf.sparse.reorder(full), 1)
    return (
        tf.sparse.sparse_dense_matmul(some, tf.ones([4, 2])),
        sums,
        tf.sparse.softmax(full).values,
    )


def _bags(ids: Any) -> Any:
    return tf.nn.embedding_lookup_sparse(
        tf.ones([9, 2]), tf.sparse.from_dense(ids), None, combiner="mean"
    )


def _ragged(x: Any) -> Any:
    rows = tf.RaggedTensor.from_row_lengths(x, [1, 2])
    return tf.reduce_sum(rows, axis=1), tf.concat([rows, rows], 1).to_tensor(), rows.row_splits


def _sets(x: Any) -> Any:
    values, places, counts = tf.unique_with_counts(x)
    sums = tf.math.unsorted_segment_sum(tf.cast(x, tf.float32), places, 5)
    moved = tf.tensor_scatter_nd_update(tf.zeros([5]), [[1]], [2.0])
    return values, counts, sums, moved, tf.sort(x), tf.searchsorted(tf.sort(x), x), tf.cumsum(x)


def _dense() -> Any:
    layers = tf.keras.layers
    return Saved(
        tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(3, "relu"), layers.Dense(2)])
    )


def _learner() -> Any:
    """On-device training: one signature trains, one infers."""
    module = tf.Module()
    module.model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
    weights = module.model.trainable_variables
    module.optimizer = tf.keras.optimizers.Adam(jit_compile=False)
    module.optimizer.build(weights)

    def train(x: Any, y: Any) -> dict[str, Any]:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, module.model(x))
            loss = tf.reduce_mean(losses)
        module.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return {"loss": loss}

    def infer(x: Any) -> dict[str, Any]:
        return {"classes": tf.argmax(module.model(x), 1)}

    classes = tf.TensorSpec([None], tf.int32)
    module.train = tf.function(train, input_signature=[floats(None, 4), classes])
    module.infer = tf.function(infer, input_signature=[floats(None, 4)])
    return Saved(module, {"train": module.train, "infer": module.infer})


MODELS: Builders = {
    "words, SavedModel": _words,
    "text vectors, SavedModel": _vectorizer,
    "strings": lambda: frozen(_strings, _TEXT),
    "examples": lambda: frozen(_examples, _TEXT),
    "sparse": lambda: frozen(_sparse, floats(3, 4)),
    "bags of words": lambda: frozen(_bags, tf.TensorSpec([2, 3], tf.int64)),
    "ragged": lambda: frozen(_ragged, floats(3)),
    "sets and sums": lambda: frozen(_sets, tf.TensorSpec([4], tf.int32)),
    "dense, SavedModel": _dense,
    "learner, SavedModel": _learner,
}
