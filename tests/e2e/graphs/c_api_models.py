"""Models for the tests of the C interface, made by TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1


def _pass() -> None:
    """`same` is the input itself; `sum` reads it."""
    x = tf1.placeholder(tf.float32, [None, 16], name="x")
    tf.identity(x, name="same")
    tf.reduce_sum(x, name="sum")


def _product() -> None:
    """`y` fails for an input with other columns; `top` has two outputs."""
    x = tf1.placeholder(tf.float32, None, name="x")
    weights = tf.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
    y = tf1.matmul(x, weights, name="y")
    tf.math.top_k(y, k=1, name="top")


def _loop() -> None:
    """Counts to `n`."""
    n = tf1.placeholder(tf.int32, [], name="n")
    count = tf1.while_loop(lambda i: i < n, lambda i: [i + 1], [tf.constant(0)])
    tf.identity(count, name="count")


def _state() -> None:
    """`set` stores `x` in a variable, `get` returns it."""
    x = tf1.placeholder(tf.float32, [16], name="x")
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[16], shared_name="v", name="v")
    tf.raw_ops.AssignVariableOp(resource=handle, value=x, name="assign")
    with tf1.control_dependencies(["assign"]):
        tf.constant(True, name="set")
    tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32, name="get")


def _write() -> None:
    """`y` is `x` with another row 0; the op writes into its input."""
    x = tf1.placeholder(tf.float32, [4, 4], name="x")
    tf.raw_ops.InplaceUpdate(x=x, i=[0], v=tf.fill([1, 4], 7.0), name="y")


def _fill() -> None:
    """`y` has the shape `dims`."""
    dims = tf1.placeholder(tf.int64, [None], name="dims")
    tf.fill(dims, tf.constant(1.0), name="y")


def _text() -> None:
    """`joined` is `text` with an exclamation mark."""
    text = tf1.placeholder(tf.string, [None], name="text")
    tf.strings.join([text, tf.constant("!")], name="joined")


_MODELS: dict[str, Callable[[], None]] = {
    "pass": _pass,
    "product": _product,
    "loop": _loop,
    "state": _state,
    "write": _write,
    "fill": _fill,
    "text": _text,
}


def _graph(make: Callable[[], None]) -> Any:
    with tf.Graph().as_default() as made:
        # Not as functions: the loop's ops are in the graph.
        tf1.disable_control_flow_v2()
        make()
    return made.as_graph_def()


def write(folder: Path) -> dict[str, Path]:
    """Writes NAME.pb for each model; returns the files by their models' names."""
    files = {name: folder / f"{name}.pb" for name in _MODELS}
    for name, file in files.items():
        file.write_bytes(_graph(_MODELS[name]).SerializeToString(deterministic=True))
    return files
