"""Models with inputs that only training changes, created by full TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from freeze_sources import Source

v1 = tf.compat.v1
X = np.array([[1.0, -2.0, 3.0]], np.float32)
OPTIONS = ("keep_prob=1", "phase_train=false")


def classic(folder: Path, variables: bool) -> Source:
    """A graph of TensorFlow 1 with dropout and a batch norm; with variables and a checkpoint, or without."""
    folder.mkdir(parents=True, exist_ok=True)
    v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default() as graph, v1.Session() as session:
            x = v1.placeholder(tf.float32, [None, 3], name="x")
            keep = v1.placeholder(tf.float32, name="keep_prob")
            training = v1.placeholder(tf.bool, name="phase_train")
            labels = v1.placeholder(tf.int32, [None], name="labels")
            ones = v1.ones_initializer()
            scale = v1.get_variable("scale", [3], initializer=ones) if variables else tf.ones([3])
            mean = tf.reduce_mean(x, 0)
            y = v1.cond(training, lambda: x - mean, lambda: x * scale + 0.5)
            y = tf.identity(v1.nn.dropout(y, keep), name="y")
            tf.add(tf.reduce_sum(labels), 1, name="loss")
            session.run(v1.global_variables_initializer())
            expected = session.run(y, {x: X, keep: 1.0, training: False})
            options: dict[str, Any] = {"outputs": ("y",)}
            if variables:
                options["checkpoint"] = v1.train.Saver().save(session, str(folder / "m.ckpt"))
    finally:
        v1.enable_control_flow_v2()
    (folder / "m.pb").write_bytes(graph.as_graph_def().SerializeToString())
    return Source(folder / "m.pb", {"x": X}, {"y": expected}, options)


def saved_model(folder: Path) -> Source:
    """A SavedModel whose signature has the input `training`."""
    module = tf.Module()
    module.calls = tf.Variable(0.0, name="calls")

    def call(x: Any, training: Any) -> Any:
        if training:
            module.calls.assign_add(1.0)
            y = tf.tanh(x) + module.calls
        else:
            y = x * 2.0
        return {"y": y}

    specs = [tf.TensorSpec([None, 3], name="x"), tf.TensorSpec([], tf.bool, name="training")]
    module.call = tf.function(call, input_signature=specs)
    tf.saved_model.save(module, str(folder), signatures=module.call)
    return Source(folder, {"x": X}, {"y": module.call(X, False)["y"].numpy()})
