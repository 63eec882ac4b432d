"""Draws small graphs as TensorFlow 1 programs do, with frozen variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from prepared import Array, tf1

PICTURE = (1, 8, 8, 3)


def frozen_v1(draw: Callable[[], object], use_resource: bool = False) -> Any:
    """Returns the graph that `draw` creates in TensorFlow 1 mode, with frozen variables, pruned to "y" and "unused"."""
    with tf.Graph().as_default() as graph, tf1.variable_scope("", use_resource=use_resource):
        draw()
        with tf1.Session(graph=graph) as session:
            session.run(tf1.global_variables_initializer())
            definition = graph.as_graph_def()
            used = tf1.graph_util.extract_sub_graph(definition, ["y", "unused"])
            return tf1.graph_util.convert_variables_to_constants(session, used, ["y", "unused"])


def plain(draw: Callable[[], object]) -> Any:
    """Returns the GraphDef that `draw` creates."""
    with tf.Graph().as_default() as graph:
        draw()
    return graph.as_graph_def()


def picture(batch: int | None = 1) -> Any:
    """Creates the input: images of 8 by 8 with three channels."""
    return tf1.placeholder(tf.float32, (batch, *PICTURE[1:]), name="x")


def statistics(size: int) -> list[Array]:
    """Returns mean, variance, beta and gamma of a batch normalization."""
    drawn = np.random.default_rng(5)
    return [drawn.uniform(0.5, 1.5, size).astype(np.float32) for _ in range(4)]
