"""Tests of round_weights, quantize_weights and quantize_placeholders."""

from collections.abc import Callable

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file, nodes
from tfcarve.prepare.graph.graph import Graph, by_name
from tfcarve.prepare.quantize.channel_quantization import quantized_by_channel

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


_CHANNELS = "quantize_weights(per_channel=true)"
# The ranges of the channels differ by 1,000 times.
_SCALES = np.geomspace(0.01, 10, 32).astype(np.float32)
_MATRIX = prepared.noise(64, 32) * _SCALES


def _image(channels: int) -> tf.Tensor:
    return tf1.placeholder(tf.float32, (1, 9, 9, channels), name="x")


def _w(array: Array) -> tf.Tensor:
    return tf.constant(array, name="w")


_BY_OP: dict[str, tuple[Callable[[], tf.Tensor], int]] = {
    "MatMul": (lambda: tf.matmul(tf.zeros((2, 64)), _w(_MATRIX)), 1),
    "MatMul, transposed": (
        lambda: tf.matmul(tf.zeros((2, 64)), _w(_MATRIX.T), transpose_b=True),
        0,
    ),
    "BatchMatMulV2, transposed": (
        lambda: tf.matmul(tf.zeros((3, 2, 64)), _w(_MATRIX.T), transpose_b=True),
        0,
    ),
    "Conv2D": (lambda: tf.nn.conv2d(_image(16), _w(_MATRIX.reshape(2, 2, 16, 32)), 1, "SAME"), 3),
    "Conv2DBackpropInput": (
        lambda: tf.nn.conv2d_transpose(
            _image(16),
            _w(_MATRIX.reshape(2, 2, 16, 32).transpose(0, 1, 3, 2)),
            (1, 9, 9, 32),
            1,
        ),
        2,
    ),
    "DepthwiseConv2dNative": (
        lambda: tf.nn.depthwise_conv2d(
            _image(32), _w(_MATRIX.reshape(8, 8, 32, 1)), (1, 1, 1, 1), "SAME"
        ),
        2,
    ),
    "GatherV2": (lambda: tf.gather(_w(_MATRIX.T), [1, 2]), 0),
    "AddV2": (lambda: tf.add(tf.zeros((64, 32)), _w(_MATRIX)), 1),
}


@pytest.mark.parametrize("op", _BY_OP)
def test_channels(op: str, evaluator: Evaluator) -> None:
    draw, axis = _BY_OP[op]
    before = prepared.drawn(lambda: tf.identity(draw(), name="y"))
    assert op.partition(",")[0] in prepared.ops(before)
    inputs = ["x"] if "Placeholder" in prepared.ops(before) else []
    after, plain = (
        prepared.transformed(before, steps, evaluator, inputs=inputs)
        for steps in (_CHANNELS, "quantize_weights")
    )
    dequantize = by_name(after)["w"]
    assert (dequantize.op, dequantize.attr["axis"].i) == ("Dequantize", axis)
    exact = _weights(before)
    shape = [-1 if dim == axis else 1 for dim in range(exact.ndim)]
    steps = np.abs(np.moveaxis(exact, axis, 0).reshape(32, -1)).max(1).reshape(shape) / 127
    assert (np.abs(_weights(after) - exact) <= steps * 0.501).all()
    # With one range, channels with small values lose most of them.
    assert (np.abs(_weights(plain) - exact) > steps * 10).any()


def test_channels_are_dequantized_as_predicted(evaluator: Evaluator) -> None:
    found = quantized_by_channel(_MATRIX, 1)
    assert found is not None
    after = prepared.transformed(_product(_MATRIX), _CHANNELS, evaluator)
    np.testing.assert_array_equal(_weights(after), found.floats())
    assert sorted(np.unique(found.values))[::253] == [-127, 126]


def test_channels_keep_zeros(evaluator: Evaluator) -> None:
    sparse = _MATRIX.copy()
    sparse[::2] = 0
    sparse[:, 5] = 0
    after = prepared.transformed(_product(sparse), _CHANNELS, evaluator)
    assert not _weights(after)[sparse == 0].any()


def test_constants_without_channels(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (4, 2048), name="x")
        bias = tf.constant(prepared.noise(2048), name="bias")
        few = tf.constant(prepared.noise(4, 2048), name="few")
        tf.add(tf.nn.bias_add(x, bias), few, name="y")

    before = prepared.drawn(draw)
    after = by_name(prepared.transformed(before, _CHANNELS, evaluator))
    assert after["bias"].op == "Const"
    assert nodes.text(after["few"], "mode") == "MIN_FIRST"
    plain = by_name(prepared.transformed(before, "quantize_weights", evaluator))
    assert plain["bias"].op == "Dequantize"


@pytest.mark.parametrize("transform", ["quantize_weights", _CHANNELS, "round_weights"])
@pytest.mark.parametrize("value", [np.inf, np.nan, -np.inf])
def test_non_finite_constants_are_not_changed(
    value: float, transform: str, evaluator: Evaluator
) -> None:
    weights = prepared.noise(64, 32)
    weights[3, 4] = value
    before = _product(weights)
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
