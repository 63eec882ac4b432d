"""A graph of element-wise ops for vectors of any size, with two outputs."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from models import frozen

SECOND = "second"


def graph() -> Any:
    """Returns a GraphDef with the ops of random_cases/control_flow.py: some tensors are used late, and some in place."""
    with tf.Graph().as_default() as made:
        x = tf.compat.v1.placeholder(tf.float32, [None], name=frozen.INPUT)
        squares = tf.multiply(x, x)
        bent = tf.tanh(squares)
        sums = tf.add(squares, bent)
        rest = tf.subtract(tf.subtract(sums, x), bent)
        tf.multiply(sums, bent, name=SECOND)
        tf.add(rest, squares, name=frozen.OUTPUT)
    return made.as_graph_def()
