"""Valid graphs of many kinds, built with TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import tensorflow as tf

_v1 = tf.compat.v1


def _layers() -> None:
    x = _v1.placeholder(tf.float32, [1, 4, 4, 2], name="x")
    conv = tf.nn.conv2d(x, tf.ones([2, 2, 2, 3]), 1, "SAME", name="conv")
    left, right = tf.split(conv, [1, 2], axis=3, name="split")
    joined = tf.concat(
        [left, right, tf.cast(tf.cast(left, tf.int32), tf.float32)], 3, name="joined"
    )
    values, indices = tf.math.top_k(tf.reshape(joined, [1, -1]), 3, name="top")
    with tf.control_dependencies([values, tf.no_op("nothing")]):
        tf.add_n([values, tf.cast(indices, tf.float32)], name="sum")
    tf.argmax(joined, 3, output_type=tf.int32, name="best")
    tf.stack([tf.shape(joined), tf.shape(x)], name="shapes")


def _variables() -> None:
    x = _v1.placeholder(tf.float32, [2, 2], name="x")
    old = _v1.get_variable("old", [2, 2], use_resource=False)
    new = _v1.get_variable("new", [2, 2], use_resource=True)
    product = tf.matmul(tf.matmul(x, old), new, name="product")
    _v1.assign_add(old, product, name="add")
    _v1.assign(new, product, name="set")
    _v1.train.Saver([old, new])


def _loop() -> None:
    x = _v1.placeholder(tf.float32, [2], name="x")
    factor = tf.constant([2.0, 3.0])

    def step(i: Any, total: Any) -> Any:
        inner = tf.while_loop(lambda j, _: j < i, lambda j, t: (j + 1, t * factor), (0, total))
        return i + 1, inner[1] + 1.0

    tf.while_loop(lambda i, _: i < 3, step, (0, x), name="outer")
    tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2.0, lambda: x - 1.0, name="choice")


def _functions() -> None:
    x = tf.constant([1.0, 2.0], name="x")  # functions are checked when they run

    @tf.function
    def pair(a: Any, b: Any) -> Any:
        first, second = tf.split(tf.concat([a, tf.cast(b, tf.float32)], 0), 2)
        return first * 2.0, tf.argmax(second, output_type=tf.int32)

    a, b = pair(x, tf.constant([1, 2]))
    tf.identity(a, name="a")
    tf.identity(b, name="b")


_BUILDERS: dict[str, tuple[Callable[[], None], bool]] = {
    "layers": (_layers, True),
    "variables": (_variables, True),
    "loop": (_loop, False),
    "functions": (_functions, True),
}
NAMES = tuple(_BUILDERS)


@cache
def _serialized(name: str) -> bytes:
    build, v2_control_flow = _BUILDERS[name]
    with _v1.Graph().as_default() as graph:
        if not v2_control_flow:
            _v1.disable_control_flow_v2()
        try:
            build()
        finally:
            _v1.enable_control_flow_v2()
        return bytes(graph.as_graph_def().SerializeToString())


def graph(name: str) -> Any:
    """Returns a new GraphDef of a valid graph."""
    return _v1.GraphDef.FromString(_serialized(name))
