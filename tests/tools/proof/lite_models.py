"""Small TensorFlow Lite models without TensorFlow ops; interpreters run them without a delegate."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import tensorflow as tf


class _Sums(tf.Module):
    """Two signatures."""

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
    def plus(self, x: Any, y: Any) -> Any:
        """Returns x + y."""
        return {"sum": x + y}

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def twice(self, x: Any) -> Any:
        """Returns 2x."""
        return {"double": x * 2.0}


def with_signatures(*names: str) -> bytes:
    """Returns a model with the signatures `plus` and `twice`, or some of them."""
    module = _Sums()
    signatures = {name: getattr(module, name).get_concrete_function() for name in names}
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder, signature_keys=list(names))
        data: bytes = converter.convert()
        return data


def without_signatures(function: Callable[[Any], Any], *, select: bool = False) -> bytes:
    """Returns the model of a function of one float32[2] tensor, `x`; with `select`, it may have TensorFlow ops."""
    spec = tf.TensorSpec([2], tf.float32, name="x")
    concrete = tf.function(function, input_signature=[spec]).get_concrete_function()
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    if select:
        ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
        converter.target_spec.supported_ops = ops
    data: bytes = converter.convert()
    return data
