"""Tests of correct_biases, and of the same correction by quantize_nodes: the mean of each channel stays that of floats."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import calibrated
import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph, by_name, ref

pytestmark = pytest.mark.usefixtures("reused")

# Channels with different means: without them, the error of the weights has none either.
_X = prepared.noise(4, 1, 9, 9, 8) + np.linspace(0.5, 3, 8, dtype=np.float32)
_WEIGHTS = "quantize_weights(per_channel=true)"


def _x() -> tf.Tensor:
    return tf1.placeholder(tf.float32, (1, 9, 9, 8), name="x")


def _noise(*shape: int) -> Array:
    """Returns weights with channels whose ranges differ by 100 times, as after a folded batch normalization."""
    return prepared.noise(*shape) * np.geomspace(0.02, 2, shape[-1], dtype=np.float32)


def _biased(x: tf.Tensor, name: str = "y") -> tf.Tensor:
    return tf.nn.bias_add(x, prepared.noise(x.shape[-1]), name=name)


def _conv(x: tf.Tensor, *kernel: int, **attrs: Any) -> tf.Tensor:
    return tf.nn.conv2d(x, _noise(*kernel), **{"strides": 1, "padding": "VALID", **attrs})


def _flat(x: tf.Tensor) -> tf.Tensor:
    return tf.reshape(x, (-1, 8))


def _depthwise(x: tf.Tensor, *kernel: int) -> tf.Tensor:
    return tf.nn.depthwise_conv2d(x, _noise(*kernel), (1, 1, 1, 1), "VALID")


# Results of one pixel each: their means are known exactly.
_RESULTS: dict[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "convolution": lambda x: _biased(_conv(x, 1, 1, 8, 160)),
    "groups": lambda x: _biased(_conv(x, 1, 1, 4, 320)),
    "depthwise": lambda x: _biased(_depthwise(x, 1, 1, 8, 160)),
    "product": lambda x: _biased(tf.matmul(_flat(x), _noise(8, 160))),
    "transposed": lambda x: _biased(tf.matmul(_flat(x), _noise(8, 160).T, transpose_b=True)),
    "without a bias": lambda x: tf.identity(_conv(x, 1, 1, 8, 160), name="y"),
    "output without a bias": lambda x: tf.matmul(_flat(x), _noise(8, 160), name="y"),
}


def _mean_error(before: Graph, after: Graph) -> float:
    """Returns the largest error of a channel's mean over all samples, relative to the largest value."""
    results = [
        np.concatenate([prepared.ran(graph, {"x": x}, ["y"])[0] for x in _X])
        for graph in (before, after)
    ]
    wanted, found = (each.reshape(-1, each.shape[-1]).astype(np.float64) for each in results)
    return float(np.abs(wanted.mean(0) - found.mean(0)).max() / np.abs(wanted).max())


@pytest.fixture(name="pair")
def _pair(evaluator: Evaluator, tmp_path: Path) -> Callable[[str], tuple[Graph, Path]]:
    def pair(name: str) -> tuple[Graph, Path]:
        before = prepared.drawn(lambda: _RESULTS[name](_x()))
        return before, calibrated.written(tmp_path, before, _X, evaluator)

    return pair


@pytest.mark.parametrize("name", _RESULTS)
def test_means_are_those_of_floats(
    name: str, pair: Callable[[str], tuple[Graph, Path]], evaluator: Evaluator
) -> None:
    before, path = pair(name)
    steps = f'correct_biases(ranges="{path}") {_WEIGHTS}'
    after, plain = (prepared.transformed(before, each, evaluator) for each in (steps, _WEIGHTS))
    assert prepared.ops(after)["Dequantize"] == prepared.ops(plain)["Dequantize"] == 1
    assert _mean_error(before, plain) > 1e-4
    assert _mean_error(before, after) < 2e-6
    biases = prepared.ops(after)["BiasAdd"]
    assert biases == 1
    assert len(after.nodes) == len(plain.nodes) + 2 * (biases - prepared.ops(plain)["BiasAdd"])


@pytest.mark.parametrize(
    "result",
    [
        lambda x: _biased(_conv(x, 3, 3, 8, 40)),
        lambda x: _biased(_conv(x, 3, 3, 4, 40, padding="SAME")),
        lambda x: _biased(_depthwise(x, 3, 3, 8, 16)),
    ],
)
def test_results_of_several_pixels(
    result: Callable[[tf.Tensor], tf.Tensor], evaluator: Evaluator, tmp_path: Path
) -> None:
    before = prepared.drawn(lambda: result(_x()))
    path = calibrated.written(tmp_path, before, _X, evaluator)
    steps = f'correct_biases(ranges="{path}") {_WEIGHTS}'
    after, plain = (prepared.transformed(before, each, evaluator) for each in (steps, _WEIGHTS))
    assert _mean_error(before, after) < 0.3 * _mean_error(before, plain)


@pytest.mark.parametrize("name", ["convolution", "product", "without a bias"])
def test_quantized_nodes(
    name: str, pair: Callable[[str], tuple[Graph, Path]], evaluator: Evaluator, tmp_path: Path
) -> None:
    before, path = pair(name)
    (tmp_path / "plain").mkdir()
    plain = calibrated.written(tmp_path / "plain", before, _X, evaluator, means=False)
    errors = []
    for ranges in (path, plain):
        after = prepared.transformed(before, f'quantize_nodes(ranges="{ranges}")', evaluator)
        ops = prepared.ops(after)
        assert ops["QuantizedConv2D"] + ops["QuantizedMatMul"] == 1
        errors.append(_mean_error(before, after))
    # The input is quantized too, so some error stays.
    assert errors[0] < 0.4 * errors[1]


def test_a_shared_bias(evaluator: Evaluator, tmp_path: Path) -> None:
    def draw() -> None:
        bias = tf.constant(prepared.noise(160), name="bias")
        a = tf.nn.bias_add(_conv(_x(), 1, 1, 8, 160), bias, name="a")
        tf.add(a, bias, name="y")

    before = prepared.drawn(draw)
    path = calibrated.written(tmp_path, before, _X, evaluator)
    after = prepared.transformed(before, f'correct_biases(ranges="{path}") {_WEIGHTS}', evaluator)
    assert _mean_error(before, after) < 2e-6
    assert prepared.inputs_of(after, "y") == ["a", "bias"]
    assert prepared.inputs_of(after, "a")[1] != "bias"


def test_small_and_fed_weights_are_left(evaluator: Evaluator, tmp_path: Path) -> None:
    before = prepared.drawn(lambda: _biased(_conv(_x(), 1, 1, 8, 8)))
    path = calibrated.written(tmp_path, before, _X, evaluator)
    after = prepared.transformed(before, f'correct_biases(ranges="{path}")', evaluator)
    assert after.nodes == before.nodes
    weights = by_name(before)[ref(prepared.inputs_of(before, "Conv2D")[1]).node].name
    steps = f'correct_biases(ranges="{path}", minimum_size=1)'
    assert prepared.transformed(before, steps, evaluator).nodes != before.nodes
    after = prepared.transformed(before, steps, evaluator, inputs=("x", weights))
    assert after.nodes == before.nodes


def _changed(path: Path, **fields: Any) -> None:
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps({**document, **fields}), encoding="utf-8")


@pytest.mark.parametrize(
    ("means", "message"),
    [
        ([], "has no means: run `tfcarve calibrate` on this model"),
        ([{"node": "Conv2", "means": [1]}], "names 'Conv2', which is not a node of the graph; did"),
        ([{"node": "Conv2D", "means": [1] * 7}], "node 'Conv2D': 7 means for 8 channels"),
        ([{"node": "Conv2D", "means": [1] * 24}], "node 'Conv2D': 24 means for 8 channels"),
        ([{"node": "Conv2D", "means": []}], "node 'Conv2D': 0 means for 8 channels"),
    ],
)
def test_invalid_means(
    means: list[Any],
    message: str,
    pair: Callable[[str], tuple[Graph, Path]],
    evaluator: Evaluator,
) -> None:
    before, path = pair("convolution")
    _changed(path, means=means)
    with pytest.raises(InvalidInput, match=f"correct_biases: .*{message}"):
        prepared.transformed(before, f'correct_biases(ranges="{path}")', evaluator)


def test_the_file_is_required(evaluator: Evaluator) -> None:
    graph = prepared.drawn(lambda: _biased(_x()))
    with pytest.raises(InvalidInput, match="correct_biases: the parameter 'ranges' is required"):
        prepared.transformed(graph, "correct_biases", evaluator)
