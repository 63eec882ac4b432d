"""Tests of half_weights."""

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, by_name

_X = prepared.noise(2, 64)


def _of(weights: Array) -> Graph:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (2, 64), name="x")
        tf.matmul(x, tf.constant(weights, name="weights"), name="y")

    return prepared.drawn(draw)


def test_weights_become_half(evaluator: Evaluator) -> None:
    before = _of(prepared.noise(64, 16))
    after = prepared.transformed(before, "half_weights", evaluator)
    known = by_name(after)
    assert known["weights"].op == "Cast"
    assert known["weights_half"].attr["dtype"].type == 19
    assert 0 < prepared.difference(before, after, {"x": _X}) < 1e-2
    sizes = [len(graph_file.to_bytes(graph)) for graph in (before, after)]
    assert sizes[1] < sizes[0] * 0.6


def test_one_repeated_value(evaluator: Evaluator) -> None:
    before = _of(np.full((64, 16), 0.5, np.float32))
    after = prepared.transformed(before, "half_weights compact_constants", evaluator)
    assert prepared.difference(before, after, {"x": _X}) == 0


@pytest.mark.parametrize("value", [70000, -1e6, np.inf, np.nan])
def test_values_beyond_half_stay_float(value: float, evaluator: Evaluator) -> None:
    weights = prepared.noise(64, 16)
    weights[3, 4] = value
    after = prepared.transformed(_of(weights), "half_weights", evaluator)
    assert "Cast" not in prepared.ops(after)


@pytest.mark.parametrize(("size", "casts"), [(1024, 1), (1025, 0)])
def test_minimum_size(size: int, casts: int, evaluator: Evaluator) -> None:
    steps = f"half_weights(minimum_size={size})"
    after = prepared.transformed(_of(prepared.noise(64, 16)), steps, evaluator)
    assert prepared.ops(after)["Cast"] == casts


def test_fed_constants_and_other_types_stay(evaluator: Evaluator) -> None:
    before = _of(prepared.noise(64, 16))
    after = prepared.transformed(before, "half_weights", evaluator, inputs=["x", "weights"])
    assert prepared.ops(after) == prepared.ops(before)

    def doubles() -> None:
        x = tf1.placeholder(tf.float64, (2, 64), name="x")
        tf.matmul(x, tf.constant(prepared.noise(64, 16).astype(np.float64)), name="y")

    after = prepared.transformed(prepared.drawn(doubles), "half_weights", evaluator)
    assert "Cast" not in prepared.ops(after)


def test_wrong_size(evaluator: Evaluator) -> None:
    with pytest.raises(InvalidInput, match="half_weights: minimum_size=0: expected 1 or more"):
        prepared.transformed(_of(prepared.noise(64, 2)), "half_weights(minimum_size=0)", evaluator)
