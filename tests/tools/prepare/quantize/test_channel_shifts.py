"""Tests of quantize_nodes on weights whose channels have very different ranges."""

from collections.abc import Callable
from pathlib import Path

import calibrated
import numpy as np
import prepared
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from prepared import Array, tf1

import extent
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.fold import channels
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, by_name
from tfcarve.prepare.quantize import channel_shifts

pytestmark = pytest.mark.usefixtures("reused")

_CHANNELS = 16
_SCALES = np.geomspace(1e-2, 1, _CHANNELS).astype(np.float32)
_X = np.abs(prepared.noise(6, 1, 8, 8, 4))


def _image() -> tf.Tensor:
    return tf1.placeholder(tf.float32, (1, 8, 8, 4), name="x")


def _rows(x: tf.Tensor) -> tf.Tensor:
    return tf.reshape(x, (8, 32))


def _biased(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.bias_add(x, prepared.noise(_CHANNELS) * _SCALES, name="y")


_CONV = prepared.noise(3, 3, 4, _CHANNELS) * _SCALES
_DEPTHWISE = prepared.noise(3, 3, 4, 4) * _SCALES.reshape(4, 4)
_MATRIX = prepared.noise(32, _CHANNELS) * _SCALES
_RESULTS: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "QuantizedConv2D": lambda x: _biased(tf.nn.conv2d(x, _CONV, 1, "SAME")),
    "without a bias": lambda x: tf.nn.conv2d(x, _CONV, 1, "SAME", name="y"),
    "QuantizedDepthwiseConv2D": lambda x: _biased(
        tf.nn.depthwise_conv2d(x, _DEPTHWISE, (1, 1, 1, 1), "SAME")
    ),
    "QuantizedMatMul": lambda x: _biased(tf.matmul(_rows(x), _MATRIX)),
    "transposed": lambda x: _biased(tf.matmul(_rows(x), _MATRIX.T, transpose_b=True)),
}


def _quantized(before: Graph, folder: Path, evaluator: Evaluator) -> Graph:
    path = calibrated.written(folder, before, _X, evaluator, means=False)
    steps = f'quantize_nodes(ranges="{path}", depthwise=true, per_channel=true)'
    return prepared.transformed(before, steps, evaluator)


def _errors(before: Graph, after: Graph) -> Array:
    """Returns the largest error of each channel, relative to the largest value of the channel."""
    rows = [
        np.concatenate([prepared.ran(graph, {"x": x}, ["y"])[0] for x in _X]).reshape(-1, _CHANNELS)
        for graph in (before, after)
    ]
    return np.asarray(np.abs(rows[0] - rows[1]).max(0) / np.abs(rows[0]).max(0))


@pytest.mark.parametrize("name", _RESULTS)
def test_small_channels_keep_their_precision(
    name: str, evaluator: Evaluator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = prepared.drawn(lambda: _RESULTS[name](_image()))
    after = _quantized(before, tmp_path, evaluator)
    ops = prepared.ops(after)
    assert ops["RightShift"] == 1
    assert name[:9] != "Quantized" or ops[name] == 1
    assert _errors(before, after).max() < 0.03
    monkeypatch.setattr(channel_shifts, "_MAX_SHIFT", 0)
    plain = _quantized(before, tmp_path, evaluator)
    assert "RightShift" not in prepared.ops(plain)
    errors = _errors(before, plain)
    assert errors[0] > 0.15
    assert errors[-1] < 0.03


@pytest.mark.parametrize("name", ["QuantizedConv2D", "QuantizedMatMul", "transposed"])
def test_ranges_that_are_measured_in_each_run(
    name: str, evaluator: Evaluator, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = prepared.drawn(lambda: _RESULTS[name](_image()))
    product = prepared.inputs_of(before, "y")[0]
    errors = []
    for steps in ("quantize_nodes(per_channel=true)", "quantize_nodes"):
        after = prepared.transformed(before, steps, evaluator)
        assert ("RightShift" in prepared.ops(after)) == ("per_channel" in steps)
        # The result before it has 8 bits, of which small channels use few.
        (wide,) = (n for n in after.nodes if n.op == "RequantizationRange" and product in n.name)
        wanted = prepared.ran(before, {"x": _X[0]}, [product])[0].reshape(-1, _CHANNELS)
        values, low, high = prepared.ran(after, {"x": _X[0]}, list(wide.input))
        found = values.view(np.int32).reshape(wanted.shape) * (max(-low, high) / 2**31)
        errors.append(np.abs(found - wanted)[:, 0].max() / np.abs(wanted)[:, 0].max())
    assert errors[0] < 0.03 < 0.15 < errors[1]


def test_a_large_bias_limits_the_shift(evaluator: Evaluator, tmp_path: Path) -> None:
    bias = np.zeros(_CHANNELS, np.float32)
    bias[0] = 20_000

    def draw() -> None:
        y = tf.nn.bias_add(tf.nn.conv2d(_image(), _CONV, 1, "SAME"), bias)
        tf.nn.conv2d(
            y, np.eye(_CHANNELS, dtype=np.float32)[np.newaxis, np.newaxis], 1, "SAME", name="y"
        )

    before = prepared.drawn(draw)
    after = _quantized(before, tmp_path, evaluator)
    (shift,) = (node for node in after.nodes if node.op == "RightShift")
    shifts = nodes.value(by_name(after)[shift.input[1]])
    assert shifts[0] < shifts[1] == 6
    assert _errors(before, after)[0] < 0.01


def test_a_bias_of_another_shape_is_left(evaluator: Evaluator, tmp_path: Path) -> None:
    """TensorFlow rejects the graph when it runs; until then, the transforms accept it."""
    before = prepared.drawn(lambda: _RESULTS["QuantizedConv2D"](_image()))
    path = calibrated.written(tmp_path, before, _X, evaluator)
    bias = by_name(before)[prepared.inputs_of(before, "y")[1]]
    bias.CopyFrom(nodes.constant(bias.name, np.zeros(3, np.float32), ()))
    steps = f'correct_biases(ranges="{path}", minimum_size=1)'
    after = prepared.transformed(before, steps, evaluator)
    assert prepared.inputs_of(after, "y")[1] == bias.name


def _node(op: str, **attrs: bool) -> nodes.NodeDef:
    made = nodes.make(op, "n", (Ref("x"), Ref("w")))
    for key, flag in attrs.items():
        made.attr[key].b = flag
    return made


_SHAPES = {
    "Conv2D": (_node("Conv2D"), (2, 1, 3, 5), 5),
    "DepthwiseConv2dNative": (_node("DepthwiseConv2dNative"), (2, 3, 2, 3), 6),
    "MatMul": (_node("MatMul"), (3, 5), 5),
    "transposed": (_node("MatMul", transpose_b=True), (5, 3), 5),
}
_number = st.floats(-1e3, 1e3, width=32)


@settings(max_examples=extent.of(50, 200))
@given(st.sampled_from(sorted(_SHAPES)), st.data())
def test_shifts_are_the_largest_that_stay_in_the_range(name: str, data: st.DataObject) -> None:
    node, shape, count = _SHAPES[name]
    size = int(np.prod(shape))
    drawn = data.draw(st.lists(_number, min_size=size, max_size=size))
    weights = np.array(drawn, np.float32).reshape(shape)
    low, high = (float(end) for end in (min(weights.min(), 0), max(weights.max(), 0)))
    shifts = channel_shifts.channel_shifts(node, weights, low, high)
    assert (shifts.shape, shifts.dtype) == ((count,), np.int32)
    multiplied = channels.scaled(node, weights.astype(np.float64), np.exp2(shifts))
    assert low <= multiplied.min() <= multiplied.max() <= high
    # Not shifted at all, a channel would gain less than two bits; shifted, none could gain one more.
    more = 2 if shifts.any() else 4
    outside = (more * multiplied > high) | (more * multiplied < low)
    numbers = channels.scaled(node, np.ones(shape), np.arange(count))
    for channel in range(count):
        own = numbers == channel
        if weights[own].any():
            assert shifts[channel] == 10 or outside[own].any()
        else:
            assert shifts[channel] == 0
