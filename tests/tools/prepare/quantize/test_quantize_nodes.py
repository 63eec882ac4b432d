"""Tests of quantize_nodes. Differences from the float graph are relative to its largest value."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph, by_name
from tfcarve.prepare.graph.nodes import value

_X = prepared.noise(2, 6, 6, 4)
_STEP = 1 / 255
_LOGGING = 'insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:")'


def _picture(batch: int | None = 2) -> tf.Tensor:
    return tf1.placeholder(tf.float32, (batch, 6, 6, 4), name="x")


def _conv(x: tf.Tensor, **attrs: object) -> tf.Tensor:
    return tf.nn.conv2d(x, prepared.noise(3, 3, 4, 8), **{"strides": 2, "padding": "SAME", **attrs})


def _relative_difference(before: Graph, after: Graph, x: Array = _X) -> float:
    """Returns the largest difference relative to the largest value."""
    (wanted,), (found,) = (prepared.ran(graph, {"x": x}, ["y"]) for graph in (before, after))
    assert wanted.shape == found.shape
    assert np.ptp(wanted) > 0.1
    return float(np.abs(wanted - found).max() / np.abs(wanted).max())


def _matmul(x: tf.Tensor) -> tf.Tensor:
    return tf.matmul(tf.reshape(x, (-1, 8)), prepared.noise(5, 8), transpose_b=True)


@pytest.mark.parametrize(
    ("op", "draw"),
    [
        ("QuantizedConv2D", _conv),
        ("QuantizedMatMul", _matmul),
        ("QuantizedBiasAdd", lambda x: tf.nn.bias_add(x, prepared.noise(4))),
        ("QuantizedAdd", lambda x: tf.raw_ops.Add(x=x, y=prepared.noise(4))),
        ("QuantizedAdd", lambda x: x + x[::-1]),
        ("QuantizedAdd", lambda x: x + 0.75),
        ("QuantizedMul", lambda x: x * prepared.noise(4)),
        ("QuantizedMul", lambda x: x * x[::-1]),
        ("QuantizedAvgPool", lambda x: tf.nn.avg_pool2d(x, 2, 2, "SAME")),
        ("QuantizedMaxPool", lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID")),
        ("QuantizedRelu", tf.nn.relu),
        ("QuantizedRelu6", lambda x: tf.nn.relu6(x * 9.0)),
        ("QuantizedReshape", lambda x: tf.reshape(x, (2, -1))),
        ("QuantizedConcat", lambda x: tf.concat([x, x[::-1]], 2)),
        ("QuantizedConcat", lambda x: tf.raw_ops.Concat(concat_dim=1, values=[x, x[::-1] * 0.5])),
        (
            "QuantizedResizeBilinear",
            lambda x: tf.raw_ops.ResizeBilinear(images=x, size=[9, 7], half_pixel_centers=True),
        ),
    ],
)
def test_ops(op: str, draw: Callable[[tf.Tensor], tf.Tensor], evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: tf.identity(draw(_picture()), name="y"))
    after = prepared.transformed(before, "quantize_nodes", evaluator)
    assert prepared.ops(after)[op] == 1
    assert prepared.ops(after)["Dequantize"] >= 1
    assert _relative_difference(before, after) < 5 * _STEP


def _dilated() -> tf.Tensor:
    return _conv(_picture(), strides=1, dilations=2)


def _explicit() -> tf.Tensor:
    return _conv(_picture(), padding=[[0, 0], [1, 1], [1, 1], [0, 0]])


def _grouped() -> tf.Tensor:
    return tf.nn.conv2d(_picture(), prepared.noise(3, 3, 2, 8), 1, "SAME")


def _unequal_strides() -> tf.Tensor:
    return _conv(_picture(), strides=[1, 1, 2, 1])


def _outer_sum() -> tf.Tensor:
    x = _picture()
    return x[:, :1] + x[:, :, :1]


def _doubles() -> tf.Tensor:
    return tf.nn.relu(tf.cast(_picture(), tf.float64))


def _not_finite() -> tf.Tensor:
    return _picture() * np.array([1, 2, np.inf, 4], np.float32)


@pytest.mark.parametrize(
    "draw",
    [_dilated, _explicit, _grouped, _unequal_strides, _outer_sum, _doubles, _not_finite],
)
def test_unsupported_ops_are_not_changed(
    draw: Callable[[], tf.Tensor], evaluator: Evaluator
) -> None:
    before = prepared.drawn(lambda: tf.identity(draw(), name="y"))
    after = prepared.transformed(before, "quantize_nodes", evaluator)
    assert prepared.ops(after) == prepared.ops(before)


def _net(batch: int | None = 2) -> None:
    y = tf.nn.relu(tf.nn.bias_add(_conv(_picture(batch)), prepared.noise(8)))
    y = tf.concat([tf.nn.max_pool2d(y, 2, 1, "SAME"), tf.nn.avg_pool2d(y, 2, 1, "SAME")], 3)
    y = tf.matmul(tf.reshape(y, (-1, 144)), prepared.noise(144, 10))
    tf.nn.softmax(y * 0.1, name="y")


@pytest.mark.parametrize("batch", [2, None])
def test_consecutive_ops_stay_quantized(batch: int | None, evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _net(batch))
    after = prepared.transformed(before, "quantize_nodes", evaluator)
    ops = prepared.ops(after)
    assert (ops["QuantizeV2"], ops["Dequantize"]) == (1, 1)
    assert ops["Requantize"] == ops["RequantizationRange"] == 4
    assert {"Conv2D", "MatMul", "Relu", "ConcatV2"}.isdisjoint(ops)
    assert _relative_difference(before, after) < 0.05


def test_after_quantize_weights(evaluator: Evaluator) -> None:
    before = prepared.drawn(_net)
    after = prepared.transformed(
        before, "quantize_weights(minimum_size=1) quantize_nodes", evaluator
    )
    assert prepared.ops(after)["Dequantize"] == 1
    assert prepared.ops(after)["QuantizeV2"] == 1
    assert _relative_difference(before, after) < 0.05


def test_ignored_ops(evaluator: Evaluator) -> None:
    after = prepared.transformed(
        prepared.drawn(_net), "quantize_nodes(ignore_op=Conv2D, ignore_op=Mul)", evaluator
    )
    assert prepared.ops(after)["Conv2D"] == prepared.ops(after)["Mul"] == 1
    assert prepared.ops(after)["QuantizedMatMul"] == 1


def test_input_range(evaluator: Evaluator) -> None:
    before = prepared.drawn(_net)
    after = prepared.transformed(before, "quantize_nodes(input_min=-1, input_max=1)", evaluator)
    assert "QuantizeV2" not in prepared.ops(after)
    (wanted,) = prepared.ran(before, {"x": _X}, ["y"])
    quantized = np.round((_X + 1) * 127.5).astype(np.uint8)
    (found,) = prepared.ran(after, {"x": quantized}, ["y"])
    assert np.abs(found - wanted).max() < 0.05 * wanted.max()


def test_fallback_range(evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: tf.identity(_conv(_picture()), name="y"))
    after = prepared.transformed(
        before, "quantize_nodes(fallback_min=-8, fallback_max=8)", evaluator
    )
    assert "RequantizationRange" not in prepared.ops(after)
    assert _relative_difference(before, after) < 0.05
    narrow = prepared.transformed(
        before, "quantize_nodes(fallback_min=-1, fallback_max=1)", evaluator
    )
    assert _relative_difference(before, narrow) > 0.3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("fallback_min=0", "fallback_min and fallback_max must be passed together"),
        ("fallback_min=1, fallback_max=2", "fallback_min=1.0: expected 0 or less"),
        ("input_min=2, input_max=2", "input_min=2.0 must be less than"),
    ],
)
def test_invalid_ranges(parameters: str, message: str, evaluator: Evaluator) -> None:
    with pytest.raises(InvalidInput, match=f"quantize_nodes: {message}"):
        prepared.transformed(prepared.drawn(_net), f"quantize_nodes({parameters})", evaluator)


def _fake(x: tf.Tensor, low: float, high: float, name: str | None = None) -> tf.Tensor:
    return tf.quantization.fake_quant_with_min_max_vars(x, low, high, name=name)


def test_trained_ranges(evaluator: Evaluator) -> None:
    def draw() -> None:
        y = tf.nn.relu(tf.nn.max_pool2d(_conv(_fake(_picture(), -1, 1)), 2, 1, "SAME"))
        tf.nn.relu(_fake(y, 0, 6), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "quantize_nodes", evaluator)
    ops = prepared.ops(after)
    assert {"RequantizationRange", "FakeQuantWithMinMaxVars", "Min"}.isdisjoint(ops)
    assert (ops["QuantizeV2"], ops["Dequantize"]) == (1, 1)
    (requantize,) = (node for node in after.nodes if node.op == "Requantize")
    nodes = by_name(after)
    assert [float(value(nodes[name])) for name in requantize.input[3:]] == [0, 6]
    assert _relative_difference(before, after) < 0.05


def test_trained_ranges_of_other_widths(evaluator: Evaluator) -> None:
    def draw() -> None:
        y = tf.quantization.fake_quant_with_min_max_vars(_conv(_picture()), -6, 6, num_bits=4)
        tf.identity(y, name="y")

    after = prepared.transformed(prepared.drawn(draw), "quantize_nodes", evaluator)
    assert prepared.ops(after)["FakeQuantWithMinMaxVars"] == 1


def test_ranges_from_a_log(
    tmp_path: Path, evaluator: Evaluator, capfd: pytest.CaptureFixture[str]
) -> None:
    before = prepared.drawn(_net)
    quantized = prepared.transformed(before, "quantize_nodes", evaluator)
    prepared.ran(prepared.transformed(quantized, _LOGGING, evaluator), {"x": _X}, ["y"])
    log = tmp_path / "run.log"
    log.write_text(capfd.readouterr().err)
    assert len(re.findall("__requant_min_max", log.read_text())) == 4
    freeze = f'freeze_requantization_ranges(min_max_log_file="{log}")'
    after = prepared.transformed(quantized, freeze, evaluator)
    assert "RequantizationRange" not in prepared.ops(after)
    assert _relative_difference(before, after) < 0.05


def test_inputs_and_outputs_stay_floats(evaluator: Evaluator) -> None:
    def draw() -> None:
        z = tf.nn.relu(_conv(_picture()), name="z")
        tf.nn.relu(z - 0.5, name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "quantize_nodes", evaluator, ["y", "z"], ["x", "z"])
    fed = prepared.noise(2, 3, 3, 8)
    wanted = prepared.ran(before, {"z": fed}, ["y"])[0]
    assert np.abs(prepared.ran(after, {"z": fed}, ["y"])[0] - wanted).max() < 2 * _STEP
    assert prepared.ran(after, {"x": _X}, ["z"])[0].dtype == np.float32


def test_function_bodies(evaluator: Evaluator) -> None:
    @tf.function
    def body(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(tf.matmul(tf.reshape(x, (-1, 8)), prepared.noise(8, 5)))

    before = prepared.drawn(lambda: tf.identity(body(_picture()), name="y"))
    after = prepared.transformed(
        before,
        "quantize_weights(minimum_size=1) quantize_nodes(input_min=-1, input_max=1)",
        evaluator,
    )
    (function,) = after.library.function
    ops = [node.op for node in function.node_def]
    assert "QuantizedMatMul" in ops
    assert function.signature.input_arg[0].type == 1
    quantized = np.round((_X + 1) * 127.5).astype(np.uint8)
    (wanted,) = prepared.ran(before, {"x": _X}, ["y"])
    (found,) = prepared.ran(after, {"x": quantized}, ["y"])
    assert np.abs(found - wanted).max() < 0.05 * wanted.max()
