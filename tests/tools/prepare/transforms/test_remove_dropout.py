"""Tests of remove_dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph

_X = prepared.noise(3, 4)
_STEPS = "fold_constants remove_neutral_ops remove_dropout strip_unused_nodes"


def _of_version_1(x: Any, keep: float) -> Any:
    """tf.nn.dropout of TensorFlow 1.0 to 1.12, with keep_prob as a tensor."""
    share = tf.constant(keep)
    random = tf1.random_uniform(tf.shape(x), seed=1, dtype=x.dtype)
    return tf.realdiv(x, share) * tf.floor(share + random)


def _of_version_1_13(x: Any, keep: float) -> Any:
    rate = 1.0 - tf.constant(keep)
    mask = tf1.random_uniform(tf.shape(x), seed=1) >= rate
    return x * (1.0 / (1.0 - rate)) * tf.cast(mask, tf.float32)


def _of_version_2(x: Any, keep: float) -> Any:
    return tf1.nn.dropout(x, tf.constant(keep), seed=1)


def _stateless(x: Any, keep: float) -> Any:
    return tf.nn.experimental.stateless_dropout(x, tf.constant(1.0 - keep), [1, 2])


_DROPOUTS = [_of_version_1, _of_version_1_13, _of_version_2, _stateless]
# Stateless random numbers of a known shape are constant.
_TABLE = [
    (dropout, shape)
    for dropout in _DROPOUTS
    for shape in ([3, 4], [None, 4], None)
    if dropout != _stateless or shape != [3, 4]
]


def _drawn(dropout: Callable[[Any, float], Any], keep: float, shape: list[Any]) -> Graph:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, shape, name="x")
        tf.negative(dropout(tf.abs(x), keep), name="y")

    return prepared.drawn(draw)


@pytest.mark.parametrize(("dropout", "shape"), _TABLE)
def test_all_values_are_kept(
    dropout: Callable[[Any, float], Any], shape: Any, evaluator: Evaluator
) -> None:
    before = _drawn(dropout, 1.0, shape)
    after = prepared.transformed(before, _STEPS, evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "Abs": 1, "Neg": 1}
    assert prepared.difference(before, after, {"x": _X}) == 0


@pytest.mark.parametrize("dropout", _DROPOUTS)
def test_some_values_are_dropped(
    dropout: Callable[[Any, float], Any], evaluator: Evaluator
) -> None:
    """The control."""
    after = prepared.transformed(_drawn(dropout, 0.75, [None, 4]), _STEPS, evaluator)
    assert [op for op in prepared.ops(after) if "RandomUniform" in op]


def test_an_output_keeps_its_name(evaluator: Evaluator) -> None:
    before = _drawn(_of_version_2, 1.0, [3, 4])
    (name,) = (node.name for node in before.nodes if node.op == "SelectV2")
    after = prepared.transformed(before, _STEPS, evaluator, (name,))
    assert "RandomUniform" not in prepared.ops(after)
    assert prepared.difference(before, after, {"x": _X}, (name,)) == 0


@pytest.mark.parametrize("which", ["shape", "operand", "fed", "none of them"])
def test_other_products_stay(which: str, evaluator: Evaluator) -> None:
    """A mask that changes the shape, an operand that is not constant, and random numbers that the app feeds."""

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [3, 4], name="x")
        shape = tf.constant([2, 3, 4] if which == "shape" else [3, 4])
        random = tf.raw_ops.RandomUniform(shape=shape, dtype=tf.float32, seed=1, name="random")
        rate = tf.reduce_max(x) if which == "operand" else tf.constant(0.0)
        tf.multiply(x, tf.cast(random >= rate, tf.float32), name="y")

    before = prepared.drawn(draw)
    inputs = ["x", "random"] if which == "fed" else ["x"]
    after = prepared.transformed(before, "remove_dropout", evaluator, inputs=inputs)
    assert ("GreaterEqual" in prepared.ops(after)) == (which != "none of them")
    feeds = {"x": -_X} | ({"random": np.full((3, 4), -1, np.float32)} if which == "fed" else {})
    assert prepared.difference(before, after, feeds) == 0


@pytest.mark.parametrize("in_branch", ["shape", "rate", "dropped", "none of them"])
def test_in_a_branch(in_branch: str, evaluator: Evaluator) -> None:
    """A dropout that runs in a branch only because of what it would lose stays."""

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [3, 4], name="x")
        negative, positive = tf.raw_ops.Switch(data=x, pred=tf.reduce_all(x > 0.0))
        branch = tf.identity(positive)

        def constant(name: str, value: Any) -> Any:
            with tf1.control_dependencies([branch] if name == in_branch else []):
                return tf.constant(value)

        shape, rate = constant("shape", [3, 4]), constant("rate", 0.0)
        mask = tf.raw_ops.RandomUniform(shape=shape, dtype=tf.float32, seed=1) >= rate
        y = tf.raw_ops.SelectV2(condition=mask, t=x * 2.0, e=constant("dropped", 0.0))
        tf.raw_ops.Merge(inputs=[y, tf.identity(negative)], name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "remove_dropout", evaluator)
    assert ("SelectV2" in prepared.ops(after)) == (in_branch != "none of them")
    if in_branch != "none of them":
        for x in (_X, -abs(_X)):
            assert prepared.difference(before, after, {"x": x}) == 0
