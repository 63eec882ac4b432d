"""Tests of merge_duplicate_nodes."""

import prepared
import tensorflow as tf
from prepared import tf1

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import by_name


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [2, 3], name="x")
    a = tf.tanh(x + tf.constant(prepared.noise(3), name="c"), name="a")
    b = tf.tanh(x + tf.constant(prepared.noise(3), name="d"), name="b")
    other = tf.tanh(x + tf.constant(-prepared.noise(3), name="e"), name="other")
    drawn = tf1.random_uniform([3], seed=1) + tf1.random_uniform([3], seed=1)
    tf.identity(a * b + other + 0.0 * drawn, name="y")
    tf.tanh(a, name="kept_1")
    tf.tanh(b, name="kept_2")


def test_equal_nodes_are_merged(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    outputs = ("y", "kept_1", "kept_2")
    after = prepared.transformed(before, "merge_duplicate_nodes", evaluator, outputs)
    assert prepared.ops(before)["Tanh"] == 5
    assert prepared.ops(after)["Tanh"] == 4
    assert {"a", "other", "e", "c"} < by_name(after).keys()
    assert not {"b", "d"} & by_name(after).keys()
    assert prepared.inputs_of(after, "kept_2") == ["a"]
    assert prepared.ops(after)["RandomUniform"] == 2  # stateful
    assert prepared.difference(before, after, {"x": prepared.noise(2, 3)}, outputs) == 0


def test_in_functions(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [3], name="x")

        @tf.function
        def f(a: tf.Tensor) -> tf.Tensor:
            low, high = tf.split(a, [1, 2])
            return (tf.tanh(a) + tf.tanh(a)) * high[1] - low

        tf.identity(f(x), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "merge_duplicate_nodes", evaluator)

    def tanhs(graph: prepared.Graph) -> int:
        return sum(n.op == "Tanh" for f in graph.library.function for n in f.node_def)

    assert (tanhs(before), tanhs(after)) == (2, 1)
    assert prepared.difference(before, after, {"x": prepared.noise(3)}) == 0
