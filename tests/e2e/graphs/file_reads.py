"""A graph that reads a file: its kernel asks its device for TensorFlow's environment."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from models import frozen


def graph() -> Any:
    """Returns a GraphDef: the input is a path, the output is the content of the file."""
    with tf.Graph().as_default() as made:
        path = tf.compat.v1.placeholder(tf.string, [], name=frozen.INPUT)
        tf.identity(tf.io.read_file(path), name=frozen.OUTPUT)
    return made.as_graph_def()
