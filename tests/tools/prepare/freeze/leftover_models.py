"""Models with leftovers of each kind, without loops and with loops of both forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

_V1 = tf.compat.v1
FORMS = ("no loop", "frames", "functional")
_X = np.random.default_rng(1).normal(size=(5, 4)).astype(np.float32)


@dataclass(frozen=True)
class Trained:
    """A model that was saved with its training.

    Attributes:
      graph: its GraphDef.
      saved: the same as a SavedModel with one signature.
      names: the values of the names in capital letters in advice.
      feeds: values for the input, and for variables as far as they are not constant.
      expected: the value of the output.
    """

    graph: Path
    saved: Path
    names: Mapping[str, str]
    feeds: Mapping[str, Any]
    expected: Any


def _looped(x: tf.Tensor) -> tf.Tensor:
    def body(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.control_dependencies([_V1.assert_less(tf.abs(y), 100.0)]):
            scale = tf.constant(0.5)
        return i + 1, tf.tanh(y) * scale + 0.1 * x

    return _V1.while_loop(lambda i, _: i < 3, body, [0, x])[1]


def _branched(x: tf.Tensor) -> tf.Tensor:
    def taken() -> tf.Tensor:
        with tf.control_dependencies([_V1.assert_less(tf.abs(x), 100.0)]):
            return tf.constant(0.25)

    return x * _V1.cond(tf.reduce_sum(x) < 100.0, taken, lambda: tf.constant(2.0))


def _draw(has_loop: bool) -> tuple[tf.Tensor, tf.Tensor]:
    """Draws a trainer as programs for TensorFlow 1 were written; returns its input and its output."""
    queue = tf.queue.FIFOQueue(9, [tf.float32], [[4]])
    raw = _V1.decode_raw(_V1.placeholder(tf.string, [], "file"), tf.float32)
    queue.enqueue([tf.reshape(raw, [4])])
    x = _V1.placeholder(tf.float32, [None, 4], "x")
    labels = _V1.placeholder(tf.float32, [None, 2], "labels")
    with tf.control_dependencies([_V1.assert_less(tf.abs(x), 100.0)]):
        w = tf.identity(_V1.get_variable("w", [4, 3], use_resource=True), "w_read")
        scale = tf.constant(0.5)
        hidden = tf.nn.relu(tf.identity(x) @ w) * scale
    if has_loop:
        hidden = _branched(_looped(hidden))
    logits = hidden @ _V1.get_variable("v", [3, 2], use_resource=False)
    y = tf.nn.softmax(logits, name="y")
    _V1.summary.histogram("probabilities", y)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, logits))
    _V1.summary.scalar("loss", loss)
    _V1.summary.merge_all()
    _V1.train.AdamOptimizer(0.1).minimize(loss, _V1.train.get_or_create_global_step())
    return x, y


@contextmanager
def _control_flow(form: str) -> Iterator[None]:
    if form == "functional":
        yield
        return
    _V1.disable_control_flow_v2()
    try:
        yield
    finally:
        _V1.enable_control_flow_v2()


def trained(form: str, folder: Path) -> Trained:
    """Trains nothing, and saves a model of a form in a folder."""
    with _control_flow(form), tf.Graph().as_default() as graph, _V1.Session() as session:
        x, y = _draw(form != "no loop")
        initialize, saver = _V1.global_variables_initializer(), _V1.train.Saver(sharded=True)
        session.run(initialize)
        variables = session.run({"w_read": "w/Read/ReadVariableOp:0", "v/read": "v/read:0"})
        prefix = saver.save(session, str(folder / "model.ckpt"), write_meta_graph=False)
        _V1.saved_model.simple_save(session, str(folder / "saved"), {"x": x}, {"y": y})
        (folder / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
        expected = session.run(y, {x: _X})
    names = {"OUTPUTS": "y", "INPUTS": "x", "PREFIX": prefix, "NAME": "serving_default"}
    feeds = {"x": _X, **variables}
    return Trained(folder / "graph.pb", folder / "saved", names, feeds, expected)


def decoder(form: str) -> Callable[[], None]:
    """Returns a function that draws a model which decodes a picture, with a loop or without."""

    def draw() -> None:
        pixels = tf.io.decode_png(_V1.placeholder(tf.string, [], name="file"), 3)
        picture = tf.cast(pixels, tf.float32, name="decoded")
        tf.multiply(picture if form == "no loop" else _looped(picture), 2.0, name="y")

    def drawn() -> None:
        with _control_flow(form):
            draw()

    return drawn
