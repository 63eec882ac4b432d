"""Graphs drawn with TensorFlow, transformed by tfcarve and run by TensorFlow."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import tensorflow as tf

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, by_name
from tfcarve.prepare.graph.messages import GraphDef
from tfcarve.prepare.pipeline import pipeline
from tfcarve.prepare.pipeline.transform_list import parse

Array = np.ndarray[Any, np.dtype[Any]]
tf1 = tf.compat.v1
_SEED = 7


def drawn(draw: Callable[[], object]) -> Graph:
    """Returns the graph that `draw` creates in TensorFlow's default graph."""
    with tf.Graph().as_default() as made:
        draw()
    return from_tensorflow(made.as_graph_def())


def from_tensorflow(definition: Any) -> Graph:
    """Converts TensorFlow's GraphDef to a graph."""
    return graph_file.from_message(GraphDef.FromString(definition.SerializeToString()))


def copy(graph: Graph) -> Graph:
    """Returns a deep copy of a graph."""
    return graph_file.from_message(GraphDef.FromString(graph_file.to_bytes(graph)))


def ran(graph: Graph, feeds: Mapping[str, Array], outputs: Sequence[str]) -> list[Array]:
    """Returns the outputs of a graph, computed by TensorFlow without optimizations."""
    (results,) = ran_again(graph, [feeds], outputs)
    return results


def ran_again(
    graph: Graph,
    feeds: Sequence[Mapping[str, Array]],
    outputs: Sequence[str],
    first: Sequence[str] = (),
) -> list[list[Array]]:
    """Returns the outputs for each of `feeds`, all computed in one session, after the nodes `first` have run."""
    definition = tf1.GraphDef.FromString(graph_file.to_bytes(graph))
    config = tf1.ConfigProto()
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(definition, name="")
        with tf1.Session(graph=imported, config=config) as session:
            for name in first:
                session.run(name)
            return [
                list(
                    session.run(
                        [_tensor(name) for name in outputs],
                        {f"{name}:0": value for name, value in fed.items()},
                    )
                )
                for fed in feeds
            ]


def _tensor(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def transformed(
    graph: Graph,
    transforms: str,
    evaluator: Evaluator,
    outputs: Sequence[str] = ("y",),
    inputs: Sequence[str] = ("x",),
) -> Graph:
    """Applies a list of transforms to a copy of a graph."""
    return pipeline.transform(copy(graph), parse(transforms), inputs, outputs, evaluator)


def ops(graph: Graph) -> Counter[str]:
    """Returns the number of nodes of each op in a graph."""
    return Counter(node.op for node in graph.nodes)


def inputs_of(graph: Graph, name: str) -> list[str]:
    """Returns the inputs of a node."""
    return list(by_name(graph)[name].input)


def noise(*shape: int) -> Array:
    """Returns pseudorandom numbers in [-1, 1), the same in every process."""
    return np.random.default_rng(_SEED).uniform(-1, 1, shape).astype(np.float32)


@dataclass(frozen=True)
class Run:
    """Inputs of a graph, and the outputs that it computed.

    Attributes:
      feeds: arrays by the names of input nodes.
      outputs: names of nodes or tensors.
      results: an array for each output.
    """

    feeds: Mapping[str, Array]
    outputs: Sequence[str]
    results: list[Array]

    @classmethod
    def of(cls, graph: Graph, feeds: Mapping[str, Array], outputs: Sequence[str]) -> Run:
        """Runs a graph."""
        return cls(feeds, outputs, ran(graph, feeds, outputs))

    def difference(self, other: Graph) -> float:
        """Returns the largest difference of another graph's outputs, which must have equal shapes."""
        worst = 0.0
        for a, b in zip(self.results, ran(other, self.feeds, self.outputs), strict=True):
            assert a.shape == b.shape
            worst = max(worst, float(np.abs(a.astype(np.float64) - b).max(initial=0)))
        return worst


def difference(
    before: Graph, after: Graph, feeds: Mapping[str, Array], outputs: Sequence[str] = ("y",)
) -> float:
    """Returns the largest difference between the outputs of two graphs, which must have equal shapes."""
    return Run.of(before, feeds, outputs).difference(after)
