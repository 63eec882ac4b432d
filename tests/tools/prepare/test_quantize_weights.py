"""Tests of round_weights, quantize_weights and quantize_placeholders."""

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare import graph_file, nodes
from tfcarve.prepare.evaluate import Evaluator
from tfcarve.prepare.graph import Graph, by_name

_X = prepared.noise(2, 64)


def _product(weights: Array) -> Graph:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (2, 64), name="x")
        tf.matmul(x, tf.constant(weights, name="w"), name="y")

    return prepared.drawn(draw)


def _weights(graph: Graph) -> Array:
    return prepared.ran(graph, {}, ["w"])[0]


@pytest.mark.parametrize(
    "weights",
    [prepared.noise(64, 32), prepared.noise(64, 32) - 5, prepared.noise(64, 32) * 1e-30, prepared.noise(64, 32) + 5],
    ids=["both signs", "negative", "small", "positive"],
)  # fmt: skip
def test_quantize_weights(weights: Array, evaluator: Evaluator) -> None:
    before = _product(weights)
    after = prepared.transformed(before, "quantize_weights", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "MatMul": 1, "Const": 3, "Dequantize": 1}
    assert prepared.inputs_of(after, "w") == [
        "w_quantized_const",
        "w_quantized_min",
        "w_quantized_max",
    ]
    assert nodes.tensor(by_name(after)["w_quantized_const"]).dtype == 12
    assert len(graph_file.to_bytes(after)) < 0.4 * len(graph_file.to_bytes(before))
    step = (max(weights.max(), 0) - min(weights.min(), 0)) / 255
    assert 0 < np.abs(_weights(after) - weights).max() <= step * 1.01
    assert prepared.difference(before, after, {"x": _X}) < 64 * step


def test_values_are_rounded_to_nearest(evaluator: Evaluator) -> None:
    weights = prepared.noise(64, 32) + np.float32(0.3)
    after = prepared.transformed(_product(weights), "quantize_weights", evaluator)
    wrong = np.abs(_weights(after) - weights)
    step = (weights.max() - weights.min()) / 255
    assert (wrong <= step / 2 * 1.01).mean() > 0.99  # except at the ends of the range
    assert len(np.unique(nodes.value(by_name(after)["w_quantized_const"]))) > 200


def test_zeros_stay_zeros(evaluator: Evaluator) -> None:
    after = prepared.transformed(
        _product(np.zeros((64, 32), np.float32)), "quantize_weights", evaluator
    )
    assert prepared.ops(after)["Dequantize"] == 1
    assert not _weights(after).any()
    sparse = prepared.noise(64, 32)
    sparse[::2] = 0
    after = prepared.transformed(_product(sparse), "quantize_weights", evaluator)
    assert not _weights(after)[::2].any()


@pytest.mark.parametrize("value", [np.inf, np.nan, -np.inf])
def test_non_finite_constants_are_not_changed(value: float, evaluator: Evaluator) -> None:
    weights = prepared.noise(64, 32)
    weights[3, 4] = value
    before = _product(weights)
    for transform in ("quantize_weights", "round_weights"):
        assert prepared.transformed(before, transform, evaluator).nodes == before.nodes


def test_size(evaluator: Evaluator) -> None:
    before = _product(prepared.noise(64, 16))
    assert "Dequantize" in prepared.ops(prepared.transformed(before, "quantize_weights", evaluator))
    larger = prepared.transformed(before, "quantize_weights(minimum_size=1025)", evaluator)
    assert larger.nodes == before.nodes
    with pytest.raises(InvalidInput, match="quantize_weights: minimum_size=0"):
        prepared.transformed(before, "quantize_weights(minimum_size=0)", evaluator)


@pytest.mark.parametrize("shift", [0, -5])
@pytest.mark.parametrize("steps", [2, 256])
def test_rounding(steps: int, shift: float, evaluator: Evaluator) -> None:
    weights = prepared.noise(64, 32) + np.float32(shift)
    before = _product(weights)
    after = prepared.transformed(before, f"round_weights(num_steps={steps})", evaluator)
    assert prepared.ops(after) == prepared.ops(before)
    width = (weights.max() - weights.min()) / steps
    assert 1 < len(np.unique(_weights(after))) <= steps + 1
    assert np.abs(_weights(after) - weights).max() <= width / 2 * 1.01


def test_constants_that_are_not_rounded(evaluator: Evaluator) -> None:
    same = _product(np.zeros((64, 32), np.float32))
    assert not _weights(prepared.transformed(same, "round_weights", evaluator)).any()
    small = prepared.drawn(lambda: tf.constant(prepared.noise(15), name="y"))
    after = prepared.transformed(small, "round_weights(num_steps=2)", evaluator, inputs=())
    assert after.nodes == small.nodes
    with pytest.raises(InvalidInput, match="round_weights: num_steps=0"):
        prepared.transformed(same, "round_weights(num_steps=0)", evaluator)


def test_quantize_placeholders(evaluator: Evaluator) -> None:
    before = _product(prepared.noise(64, 32))
    after = prepared.transformed(
        before, "quantize_placeholders(input_min=-1, input_max=1)", evaluator
    )
    assert prepared.inputs_of(after, "y")[0] == "x_eightbit/dequantize"
    quantized = np.round((_X + 1) * 127.5).astype(np.uint8)
    expected = prepared.ran(before, {"x": _X}, ["y"])[0]
    assert np.abs(prepared.ran(after, {"x": quantized}, ["y"])[0] - expected).max() < 0.2
    assert np.abs(expected).max() > 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("", "the parameters input_min and input_max are required"),
        ("(input_min=1)", "input_min and input_max must be passed together"),
        ("(input_min=1, input_max=1)", "input_min=1.0 must be less than input_max=1.0"),
        ("(input_min=nan, input_max=1)", "input_min=nan must be less"),
    ],
)
def test_invalid_ranges(parameters: str, message: str, evaluator: Evaluator) -> None:
    with pytest.raises(InvalidInput, match=f"quantize_placeholders: {message}"):
        prepared.transformed(
            _product(prepared.noise(64, 32)), f"quantize_placeholders{parameters}", evaluator
        )
