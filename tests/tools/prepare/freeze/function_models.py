"""A SavedModel of TensorFlow 2 with functions and without signatures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf


@dataclass(frozen=True)
class Call:
    """A call of a function: the arrays by the inputs of the frozen graph, and TensorFlow's results by its outputs."""

    feeds: Mapping[str, Any]
    expected: Mapping[str, Any]


class _Part(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable([10.0, 20.0])

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, name="values")])
    def encode(self, x: Any) -> Any:
        return x * self.weight


class _Model(tf.Module):
    """Two traces of __call__; tables from a list, a file and a checkpoint; structures; composite tensors."""

    def __init__(self, vocabulary: Path) -> None:
        super().__init__()
        self.weight = tf.Variable([3.0, 4.0])  # both are called Variable
        self.bias = tf.Variable([5.0, 6.0])
        self.offset = tf.constant([7.0, 8.0])
        self.calls = tf.Variable(0.0, name="calls")
        self.part = _Part()
        tables = tf.lookup
        self.listed = tables.StaticHashTable(
            tables.KeyValueTensorInitializer([1, 2], [10.0, 20.0], tf.int32), -1.0
        )
        lines, numbers = tables.TextFileIndex.WHOLE_LINE, tables.TextFileIndex.LINE_NUMBER
        vocabulary.write_text("tea\ncoffee\n")
        file = tables.TextFileInitializer(str(vocabulary), tf.string, lines, tf.int64, numbers)
        self.of_file = tables.StaticHashTable(file, -1)
        self.stored = tables.experimental.MutableHashTable(tf.string, tf.float32, 0.5)
        self.stored.insert(["b", "a"], [2.0, 1.0])

    @tf.function
    def __call__(self, x: Any, training: bool = False) -> Any:
        if training:
            return x * self.weight + self.bias
        return self.part.encode(x - self.bias) + self.offset

    @tf.function(
        input_signature=[
            tf.TensorSpec([None], tf.int32, name="ids"),
            {"words": tf.TensorSpec([None], tf.string), "keys": tf.TensorSpec([None], tf.string)},
        ]
    )
    def look_up(self, ids: Any, texts: Any) -> Any:
        numbers = self.of_file.lookup(texts["words"])
        return {"of list": self.listed.lookup(ids), "rest": (numbers, self.stored.lookup(texts["keys"]))}  # fmt: skip

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
    def ragged(self, rows: Any) -> Any:
        return rows * 2.0, tf.reduce_sum(rows, axis=1)

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32, name="x")])
    def count(self, x: Any) -> Any:
        self.calls.assign_add(1.0)
        return x + self.calls


def _looked_up(model: Any) -> Call:
    ids, words, keys = [1, 3], [b"coffee", b"milk"], [b"a", b"c"]
    found = model.look_up(
        tf.constant(ids), {"words": tf.constant(words), "keys": tf.constant(keys)}
    )
    numbers, stored = found["rest"]
    return Call(
        {"ids": np.array(ids, np.int32), "texts_words": np.array(words, object), "texts_keys": np.array(keys, object)},
        {"of_list": found["of list"].numpy(), "rest_0": numbers.numpy(), "rest_1": stored.numpy()},
    )  # fmt: skip


def _summed(model: Any) -> Call:
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    doubled, sums = model.ragged(rows)
    feeds = {"rows/0": rows.values.numpy(), "rows/1": rows.row_splits.numpy()}
    outputs = {"output_0/0": doubled.values, "output_0/1": doubled.row_splits, "output_1": sums}
    return Call(feeds, {name: array.numpy() for name, array in outputs.items()})


def save(folder: Path) -> dict[str, Call]:
    """Saves the model in `folder`; returns a call of each function that can be frozen."""
    model = _Model(folder.with_suffix(".txt"))
    x = np.array([1.0, -2.0], np.float32)
    shown: dict[str, Callable[[], Any]] = {
        "__call__@0": lambda: model(tf.constant(x)),
        "__call__@1": lambda: model(tf.constant(x), training=True),
    }
    calls = {name: Call({"x": x}, {"output_0": call().numpy()}) for name, call in shown.items()}
    calls["look_up"] = _looked_up(model)
    calls["ragged"] = _summed(model)
    calls["part.encode"] = Call({"values": x}, {"output_0": model.part.encode(x).numpy()})
    tf.saved_model.save(model, str(folder))
    folder.with_suffix(".txt").unlink()
    return calls
