"""TensorFlow Lite models with TensorFlow ops, created by TensorFlow Lite's converter."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

_FLOAT = tf.float32


def _converted(converter: Any) -> bytes:
    converter.target_spec.supported_ops = [
        tf.lite.OpsSet.TFLITE_BUILTINS,
        tf.lite.OpsSet.SELECT_TF_OPS,
    ]
    converter._experimental_lower_tensor_list_ops = False
    converter.experimental_enable_resource_variables = True
    data: bytes = converter.convert()
    return data


def _of_function(function: Callable[..., Any], *specs: Any) -> bytes:
    concrete = tf.function(function, input_signature=specs).get_concrete_function()
    return _converted(tf.lite.TFLiteConverter.from_concrete_functions([concrete]))


def _of_module(module: Any, signatures: Mapping[str, Any]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures)
        return _converted(tf.lite.TFLiteConverter.from_saved_model(folder))


def one_op() -> bytes:
    """Erf between two ops of TensorFlow Lite."""
    return _of_function(lambda x: tf.math.erf(x + 1.0) * 2.0, tf.TensorSpec([2, 3], _FLOAT))


def one_op_of_doubles() -> bytes:
    """The op of one_op with another type."""
    return _of_function(tf.math.erf, tf.TensorSpec([2, 3], tf.float64))


def without_tensorflow_ops() -> bytes:
    """A model that needs no delegate."""
    return _of_function(lambda x: x * 2.0 + 1.0, tf.TensorSpec([2, 3], _FLOAT))


def audio_front_end() -> bytes:
    """The inverse of a short-time Fourier transform, and its magnitudes."""

    def front_end(x: Any) -> Any:
        spectrum = tf.signal.stft(x, 64, 32)
        back = tf.signal.irfft(spectrum * tf.cast(0.5, tf.complex64))
        return tf.math.log1p(tf.abs(spectrum)), tf.nn.softplus(back)

    return _of_function(front_end, tf.TensorSpec([1, 512], _FLOAT))


def lstm() -> bytes:
    """An LSTM whose loop has TensorLists."""
    tf.keras.utils.set_random_seed(3)
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Input((6, 4)), layers.LSTM(5, return_sequences=True), layers.Dense(2)]
    )
    return _of_function(lambda x: model(x), tf.TensorSpec([1, 6, 4], _FLOAT))


def words() -> bytes:
    """Strings: regular expressions, splitting, hashing."""

    def find(x: Any) -> Any:
        cleaned = tf.strings.regex_replace(x, "[^a-z ]", "")
        parts = tf.strings.split(cleaned, " ")
        return tf.strings.join([x, "!"]), tf.strings.to_hash_bucket_fast(parts.values, 97)

    return _of_function(find, tf.TensorSpec([2], tf.string))


class _Weights(tf.Module):
    """A table of strings and floats. TensorFlow Lite's own tables have integers."""

    def __init__(self) -> None:
        super().__init__()
        words = tf.lookup.KeyValueTensorInitializer([b"big", b"hello", b"world"], [0.5, 1.25, -2.0])
        self.table = tf.lookup.StaticHashTable(words, default_value=-1.0)

    @tf.function(input_signature=[tf.TensorSpec([4], tf.string)])
    def find(self, x: Any) -> Any:
        """Returns twice the values of four words."""
        return {"weights": self.table.lookup(x) * 2.0}


def lookup() -> bytes:
    """A look-up table; another subgraph fills it."""
    model = _Weights()
    return _of_module(model, {"serving_default": model.find.get_concrete_function()})


def branches() -> bytes:
    """A condition and a loop: several subgraphs with TensorFlow ops."""

    def choose(x: Any) -> Any:
        y = tf.cond(
            tf.reduce_sum(x) > 0.0, lambda: tf.math.erf(x), lambda: tf.math.lgamma(tf.abs(x) + 1.0)
        )
        _, z = tf.while_loop(
            lambda i, _: i < 3, lambda i, v: (i + 1, tf.math.sinh(v) * 0.5), (tf.constant(0), y)
        )
        return z

    return _of_function(choose, tf.TensorSpec([4], _FLOAT))


class _Trained(tf.Module):
    """A linear model that trains on the device, and saves and restores its variables.

    The paths are not scalars: under qemu, ai-edge-litert 2.3.0 for arm64 crashes if it resizes an input to a scalar, with any
    model and without a delegate.
    """

    def __init__(self) -> None:
        super().__init__()
        start = np.random.default_rng(4).uniform(-1, 1, (4, 3)).astype(np.float32)
        self.weights = tf.Variable(start, name="weights")
        self.bias = tf.Variable(np.zeros(3, np.float32), name="bias")

    def _logits(self, x: Any) -> Any:
        return tf.nn.selu(tf.matmul(x, self.weights) + self.bias)

    @tf.function(input_signature=[tf.TensorSpec([2, 4], _FLOAT)])
    def infer(self, x: Any) -> Any:
        """Returns the logits of two rows."""
        return {"logits": self._logits(x)}

    @tf.function(input_signature=[tf.TensorSpec([2, 4], _FLOAT), tf.TensorSpec([2, 3], _FLOAT)])
    def train(self, x: Any, y: Any) -> Any:
        """Takes one step of gradient descent and returns the loss before it."""
        with tf.GradientTape() as tape:
            losses = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=self._logits(x))
            loss = tf.reduce_mean(losses)
        variables = [self.weights, self.bias]
        for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(0.5 * gradient)
        return {"loss": loss}

    @tf.function(input_signature=[tf.TensorSpec([1], tf.string)])
    def save(self, path: Any) -> Any:
        """Writes the variables to a checkpoint."""
        saved = tf.raw_ops.SaveV2(
            prefix=tf.reshape(path, []),
            tensor_names=["weights", "bias"],
            shape_and_slices=["", ""],
            tensors=[self.weights.read_value(), self.bias.read_value()],
        )
        # tf.function does not run SaveV2 unless an output depends on it.
        with tf.control_dependencies([saved]):
            return {"path": tf.identity(path)}

    @tf.function(input_signature=[tf.TensorSpec([1], tf.string)])
    def restore(self, path: Any) -> Any:
        """Reads the variables from a checkpoint."""
        weights, bias = tf.raw_ops.RestoreV2(
            prefix=tf.reshape(path, []),
            tensor_names=["weights", "bias"],
            shape_and_slices=["", ""],
            dtypes=[_FLOAT, _FLOAT],
        )
        self.weights.assign(tf.ensure_shape(weights, [4, 3]))
        self.bias.assign(tf.ensure_shape(bias, [3]))
        return {"bias": bias}


def trained() -> bytes:
    """The signatures infer, train, save and restore."""
    model = _Trained()
    signatures = {
        name: getattr(model, name).get_concrete_function()
        for name in ("infer", "train", "save", "restore")
    }
    return _of_module(model, signatures)


MAKERS: Mapping[str, Callable[[], bytes]] = {
    "one_op": one_op,
    "audio_front_end": audio_front_end,
    "lstm": lstm,
    "words": words,
    "lookup": lookup,
    "branches": branches,
    "trained": trained,
}


def one_input(name: str) -> Any:
    """Returns the array that tests and benchmarks feed to a model with one input; KeyError for another model."""
    shapes = {"one_op": (2, 3), "audio_front_end": (1, 512), "lstm": (1, 6, 4), "branches": (4,)}
    if name == "words":
        return np.array([b"Hello big world", b"a b"])
    if name == "lookup":
        return np.array([b"hello", b"unknown", b"world", b"big"])
    return np.random.default_rng(5).uniform(-1, 1, shapes[name]).astype(np.float32)


def inputs(name: str) -> dict[str, Any]:
    """Returns the arrays with which tests run a model, as flex_run reads them."""
    if name != "trained":
        return {"0": one_input(name)}
    chance = np.random.default_rng(5)
    rows = chance.uniform(-1, 1, (2, 4)).astype(np.float32)
    labels = np.eye(3, dtype=np.float32)[[0, 2]]
    path = np.array([b"checkpoint"])
    steps = [
        ("infer", {"x": rows}),
        ("train", {"x": rows, "y": labels}),
        ("save", {"path": path}),
        ("train", {"x": rows, "y": labels}),
        ("infer", {"x": rows}),
        ("restore", {"path": path}),
        ("infer", {"x": rows}),
    ]
    return {f"{i}/{step}/{k}": v for i, (step, fed) in enumerate(steps) for k, v in fed.items()}


def write(folder: Path) -> None:
    """Writes each model to FOLDER/NAME.tflite."""
    for name, create in MAKERS.items():
        (folder / f"{name}.tflite").write_bytes(create())
