"""Runs graphs in full TensorFlow, and reports the ops of the graph after the runtime's rewrites."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from models.frozen import INPUT, OUTPUT, Array


def ops_of(graph: Any) -> set[str]:
    """Returns the ops of a GraphDef and its functions."""
    bodies = [graph.node, *(f.node_def for f in graph.library.function)]
    return {node.op for body in bodies for node in body}


def run(graph: Any, fed: Array) -> tuple[Array, set[str]]:
    """Runs a graph without Grappler, which mobile builds do not have.

    Returns its output, and the ops of the graph after the runtime's rewrites.
    """
    config = tf.compat.v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    options = tf.compat.v1.RunOptions(output_partition_graphs=True)
    metadata = tf.compat.v1.RunMetadata()
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(graph, name="")
        with tf.compat.v1.Session(graph=imported, config=config) as session:
            output = session.run(
                f"{OUTPUT}:0", {f"{INPUT}:0": fed}, options=options, run_metadata=metadata
            )
    return output, {node.op for part in metadata.partition_graphs for node in part.node}


def partial_run(graph: Any, fed: Array) -> Array:
    """Runs a graph by Session::PRun, which declares feeds and fetches in advance."""
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(graph, name="")
        with tf.compat.v1.Session(graph=imported) as session:
            handle = session.partial_run_setup([f"{OUTPUT}:0"], [f"{INPUT}:0"])
            output: Array = session.partial_run(handle, f"{OUTPUT}:0", {f"{INPUT}:0": fed})
            return output
