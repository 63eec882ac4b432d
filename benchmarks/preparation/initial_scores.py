"""Classifiers of the zoo with the scores of their initial weights.

The zoo multiplies the weights of a classifier's last layer by a power of two, so that probabilities differ and the best class
is clear. With initial weights, the largest of a thousand probabilities is 0.002 to 0.02.
"""

from __future__ import annotations

import numpy as np

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, by_name, data_inputs
from tfcarve.prepare.graph.tensors import Array


def with_initial_scores(graph: Graph) -> Graph:
    """Returns a frozen classifier whose last MatMul has weights of the size of Keras' initial ones.

    Source: GlorotUniform, the default of tf.keras.layers.Dense: the variance of weights [rows, columns] is
    2 / (rows + columns).

    Raises:
        IndexError: the graph has no MatMul.
    """
    last = [node for node in graph.nodes if node.op == "MatMul"][-1]
    name = _constant(graph, data_inputs(last)[1].node)
    return graph.with_nodes(
        nodes.constant(name, _initial(nodes.value(node)), ()) if node.name == name else node
        for node in graph.nodes
    )


def _constant(graph: Graph, name: str) -> str:
    """Returns the name of the Const that Identity nodes pass on under a name."""
    known = by_name(graph)
    while known[name].op == "Identity":
        name = data_inputs(known[name])[0].node
    return name


def _initial(weights: Array) -> Array:
    times = weights.std() / np.sqrt(2 / sum(weights.shape))
    return np.asarray(weights / np.exp2(np.rint(np.log2(times))), weights.dtype)
