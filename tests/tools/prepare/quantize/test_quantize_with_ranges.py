"""Tests of quantize_nodes with ranges that `tfcarve calibrate` measured."""

import json
from collections import Counter
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
from tfcarve.prepare.graph.graph import Graph, by_name, data_inputs
from tfcarve.prepare.graph.nodes import value

pytestmark = pytest.mark.usefixtures("reused")

_X = prepared.noise(4, 1, 8, 8, 4)
_MEASURING = {"RequantizationRange", "Min", "Max"}


def _x() -> tf.Tensor:
    return tf1.placeholder(tf.float32, (1, 8, 8, 4), name="x")


def _conv(x: tf.Tensor, filters: int = 8, **attrs: Any) -> tf.Tensor:
    weights = prepared.noise(3, 3, x.shape[-1], filters)
    return tf.nn.conv2d(x, weights, **{"strides": 1, "padding": "SAME", **attrs})


def _biased(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.bias_add(x, prepared.noise(x.shape[-1]))


def _mean(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(x, (1, 2), name="y")


class _Quantizes:
    """Draws a graph, calibrates it on _X, and quantizes it without correcting biases."""

    def __init__(self, evaluator: Evaluator, folder: Path) -> None:
        self._evaluator = evaluator
        self._folder = folder

    def __call__(
        self, draw: Callable[[], object], parameters: str = "", outputs: tuple[str, ...] = ("y",)
    ) -> tuple[Graph, Graph]:
        before = prepared.drawn(draw)
        path = calibrated.written(self._folder, before, _X, self._evaluator, outputs, means=False)
        return before, self.transformed(before, path, parameters, outputs)

    def transformed(
        self, before: Graph, path: Path, parameters: str = "", outputs: tuple[str, ...] = ("y",)
    ) -> Graph:
        steps = f'quantize_nodes(ranges="{path}"{parameters})'
        return prepared.transformed(before, steps, self._evaluator, outputs)


@pytest.fixture(name="quantizes")
def _quantizes(evaluator: Evaluator, tmp_path: Path) -> _Quantizes:
    return _Quantizes(evaluator, tmp_path)


def _difference(before: Graph, after: Graph, fed: Array = _X) -> float:
    """Returns the largest difference over all samples, relative to the largest value."""
    pairs = [[prepared.ran(g, {"x": x}, ["y"])[0] for g in (before, after)] for x in fed]
    largest = max(float(np.abs(wanted).max()) for wanted, _ in pairs)
    assert largest > 0.05
    return max(float(np.abs(wanted - found).max()) for wanted, found in pairs) / largest


def _net() -> None:
    y = tf.nn.relu(_biased(_conv(_x())))
    pools = [tf.nn.max_pool2d(y, 2, 2, "SAME"), tf.nn.avg_pool2d(y, 2, 2, "SAME")]
    y = tf.nn.relu6(_biased(_conv(tf.concat(pools, 3))))
    y = tf.matmul(tf.reshape(y, (-1, 128)), prepared.noise(128, 10))
    tf.nn.softmax(_biased(y * 0.1), name="y")


def test_a_network(quantizes: _Quantizes) -> None:
    before, after = quantizes(_net)
    ops = prepared.ops(after)
    assert _MEASURING.isdisjoint(ops)
    assert (ops["QuantizeV2"], ops["Dequantize"]) == (1, 1)
    # A Requantize to the range of the activation replaces it.
    assert not [op for op in ops if "Relu" in op]
    assert (ops["QuantizedConv2D"], ops["QuantizedBiasAdd"], ops["Requantize"]) == (2, 0, 2)
    # What follows the last product stays float: there the precision of 8 bits would be lost for nothing.
    types = Counter(node.attr["T"].type for node in after.nodes if node.op == "BiasAdd")
    assert (ops["QuantizedMatMul"], ops["Mul"], types) == (1, 1, {3: 2, 1: 1})
    assert _difference(before, after) < 0.05


def test_ranges_are_those_of_the_file(quantizes: _Quantizes, tmp_path: Path) -> None:
    _, after = quantizes(lambda: _mean(_conv(_biased(_conv(_x())), name="last")))
    known = by_name(after)
    rows = json.loads((tmp_path / "ranges.json").read_bytes())["ranges"]
    written = {(np.float32(row["low"]), np.float32(row["high"])) for row in rows}
    ends = [n.input[3:] for n in after.nodes if n.op == "Requantize"]
    ends += [n.input[1:] for n in after.nodes if n.op == "QuantizeV2"]
    assert len(ends) == 2
    for low, high in ends:
        assert (value(known[low])[()], value(known[high])[()]) in written


@pytest.mark.parametrize(
    ("draw", "ops"),
    [
        # An activation that another node reads too, or that does not follow a result directly.
        (lambda x: tf.nn.relu(tf.nn.max_pool2d(x, 2, 1, "SAME")), {"QuantizedRelu": 1}),
        (lambda x: tf.nn.relu(x) + x, {"QuantizedRelu": 1, "QuantizedAdd": 1}),
        (lambda x: tf.nn.relu6(_biased(_conv(x) * 9.0)), {"QuantizedMul": 1}),
        (lambda x: tf.squeeze(tf.expand_dims(x, 0), 0), {"ExpandDims": 1, "Squeeze": 1}),
        (
            lambda x: tf.squeeze(tf.reshape(x, (1, 1, 8, 8, 8)), [1]),
            {"Squeeze": 1, "QuantizedReshape": 1},
        ),
        (lambda x: tf.identity(x), {"Identity": 1}),
        (lambda x: tf.pad(x, ((0, 0), (1, 1), (2, 0), (0, 0))), {"PadV2": 1}),
        (lambda x: tf.pad(x, ((0, 0), (1, 1), (2, 0), (0, 0)), constant_values=0.5), {"PadV2": 1}),
        (lambda x: tf.nn.relu(x)[..., :3], {"StridedSlice": 1}),
    ],
)
def test_ops_between_convolutions(
    draw: Callable[[tf.Tensor], tf.Tensor], ops: dict[str, int], quantizes: _Quantizes
) -> None:
    def net() -> None:
        _mean(_conv(draw(_conv(_x()))))

    before, after = quantizes(net)
    found = prepared.ops(after)
    assert {op: found[op] for op in ops} == ops
    kept = {"ExpandDims", "StridedSlice"} & ops.keys()
    assert found["QuantizeV2"] == 1 + len(kept)
    assert found["QuantizedConv2D"] + found["Conv2D"] == found["QuantizedConv2D"] >= 2
    assert _difference(before, after) < 0.06


def test_padding_beyond_the_range_stays_float(quantizes: _Quantizes) -> None:
    before, after = quantizes(
        lambda: _mean(
            _conv(tf.pad(_conv(_x()), ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-999.0))
        )
    )
    (pad,) = (node for node in after.nodes if node.op == "PadV2")
    assert pad.attr["T"].type == 1
    assert prepared.ops(after)["QuantizeV2"] == 2
    assert _difference(before, after) < 0.06


def test_concatenated_results_have_one_range(quantizes: _Quantizes) -> None:
    def draw() -> None:
        x = _x()
        branches = [tf.nn.relu(_biased(_conv(x) * np.float32(n))) for n in (1, 5)]
        _mean(_conv(tf.concat(branches, 3)))

    before, after = quantizes(draw)
    known = by_name(after)
    (concat,) = (node for node in after.nodes if node.op == "QuantizedConcat")
    results = [known[source.node] for source in data_inputs(concat)[1:3]]
    assert {node.op for node in results} == {"Requantize"}
    highs = [float(value(known[node.input[4]])) for node in results]
    assert highs[0] == highs[1]
    assert [float(value(known[node.input[3]])) for node in results] == [0, 0]
    assert _difference(before, after) < 0.05


def _biased_net(bias: Array) -> Callable[[], None]:
    def draw() -> None:
        _mean(_conv(tf.nn.relu(tf.nn.bias_add(_conv(_x()), bias))))

    return draw


def test_biases_have_the_precision_of_results(quantizes: _Quantizes) -> None:
    """A bias of 8 bits in a range to 100 has a step of 0.4."""
    bias = np.array([100, 0.1, -0.1, 0.05, -0.05, 0.15, 0.01, -0.15], np.float32)

    before, after = quantizes(_biased_net(bias))
    (constant,) = (n for n in after.nodes if n.name == "BiasAdd/eightbit/bias")
    steps = value(constant)
    assert steps.dtype == np.int32
    assert steps / steps[0] == pytest.approx(bias / bias[0], abs=1e-6)
    assert prepared.ops(after)["Bitcast"] == 2
    assert _difference(before, after) < 0.02


@pytest.mark.parametrize(
    ("bias", "transforms", "quantized"),
    [
        # The step of the result is not known.
        (prepared.noise(8), "quantize_weights(minimum_size=1)", 1),
        # The bias does not fit in 32 bits, or is not finite.
        (prepared.noise(8) * np.float32(1e6), "", 1),
        (np.array([np.nan] * 8, np.float32), "", 0),
    ],
)
def test_other_biases(
    bias: Array,
    transforms: str,
    quantized: int,
    evaluator: Evaluator,
    tmp_path: Path,
    quantizes: _Quantizes,
) -> None:
    before = prepared.drawn(_biased_net(prepared.noise(8)))
    path = calibrated.written(tmp_path, before, _X, evaluator, means=False)
    other = prepared.drawn(_biased_net(bias))
    steps = f'{transforms} quantize_nodes(ranges="{path}")'
    ops = prepared.ops(prepared.transformed(other, steps, evaluator))
    assert (ops["Bitcast"], ops["QuantizedBiasAdd"]) == (0, quantized)
    assert prepared.ops(quantizes.transformed(before, path))["Bitcast"] == 2


def test_float_outputs_of_a_result(quantizes: _Quantizes) -> None:
    """A result that only float nodes read keeps its 32 bits; one that is also read quantized has 8."""

    def draw() -> None:
        y = _conv(_x(), name="first")
        z = _conv(y, name="second")
        tf.concat([tf.reshape(tf.tanh(v * 0.02), (1, -1)) for v in (y, z)], 1, name="y")

    before, after = quantizes(draw)
    types = {n.name: n.attr["T"].type for n in after.nodes if n.op == "Dequantize"}
    assert types == {"first": 12, "second": 13}
    assert _difference(before, after) < 0.05


def test_light_ops_alone_stay_float(quantizes: _Quantizes) -> None:
    def draw() -> None:
        x = _biased(_x() * 2.0)
        y = tf.nn.relu(_biased(_conv(x)))
        _mean(tf.nn.max_pool2d(y, 2, 1, "SAME"))

    before, after = quantizes(draw)
    found = {op: n for op, n in prepared.ops(after).items() if op not in ("Const", "Placeholder")}
    assert found == {
        "Mul": 1,
        "BiasAdd": 2,
        "QuantizeV2": 1,
        "QuantizedConv2D": 1,
        "Dequantize": 1,
        "Relu": 1,
        "MaxPool": 1,
        "Mean": 1,
    }
    assert _difference(before, after) < 0.02


def _depthwise(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.depthwise_conv2d(x, prepared.noise(3, 3, 8, 1), (1, 2, 2, 1), "SAME")


def _separable(activation: Callable[[tf.Tensor], tf.Tensor]) -> Callable[[], None]:
    def draw() -> None:
        y = activation(_biased(_conv(_x())))
        y = tf.nn.relu6(_biased(_depthwise(tf.pad(y, ((0, 0), (1, 1), (1, 1), (0, 0))))))
        _mean(_conv(y))

    return draw


@pytest.mark.parametrize("activation", [tf.nn.relu, tf.nn.relu6])
def test_depthwise_convolutions(
    activation: Callable[[tf.Tensor], tf.Tensor], quantizes: _Quantizes
) -> None:
    before, after = quantizes(_separable(activation), ", depthwise=true")
    ops = prepared.ops(after)
    assert (ops["QuantizedDepthwiseConv2D"], ops["QuantizeV2"], ops["Dequantize"]) == (1, 1, 1)
    assert _difference(before, after) < 0.05


@pytest.mark.parametrize(
    ("activation", "parameters"),
    [(tf.identity, ", depthwise=true"), (tf.nn.relu, ""), (tf.nn.relu, ", depthwise=false")],
)
def test_depthwise_convolutions_that_stay_float(
    activation: Callable[[tf.Tensor], tf.Tensor], parameters: str, quantizes: _Quantizes
) -> None:
    """The kernel of oneDNN is wrong if 0 is not quantized to 0, and only oneDNN has one."""
    before, after = quantizes(_separable(activation), parameters)
    ops = prepared.ops(after)
    assert (ops["DepthwiseConv2dNative"], ops["QuantizedDepthwiseConv2D"]) == (1, 0)
    assert _difference(before, after) < 0.05


def test_onednn_ignores_what_0_is_quantized_to() -> None:
    """The reason for test_depthwise_convolutions_that_stay_float."""
    low, high = -1.0, 1.0
    weights = np.full((1, 1, 1, 1), 127, np.int8)

    def draw() -> None:
        x = tf1.placeholder(tf.float32, (1, 1, 1, 1), name="x")
        q = tf.quantization.quantize(x, low, high, tf.quint8, mode="MIN_FIRST")
        y = tf.raw_ops.QuantizedDepthwiseConv2D(
            input=q.output, filter=tf.bitcast(tf.constant(weights), tf.qint8), min_input=q.output_min,
            max_input=q.output_max, min_filter=-1.0, max_filter=1.0, strides=[1, 1, 1, 1], padding="SAME",
        )  # fmt: skip
        tf.quantization.dequantize(y.output, y.min_output, y.max_output, mode="MIN_FIRST", name="y")

    graph = prepared.drawn(draw)
    (constant,) = (n for n in graph.nodes if n.op == "Const" and n.attr["dtype"].type == 6)
    (cast,) = (n for n in graph.nodes if n.op == "Bitcast")
    constant.attr["dtype"].type = constant.attr["value"].tensor.dtype = 11
    for node in graph.nodes:
        node.input[:] = [constant.name if text == cast.name else text for text in node.input]
    graph.nodes.remove(cast)
    (found,) = prepared.ran(graph, {"x": np.zeros((1, 1, 1, 1), np.float32)}, ["y"])
    assert found.item() > 0.9


def test_trained_ranges_come_first(quantizes: _Quantizes) -> None:
    def draw() -> None:
        y = tf.nn.relu(_biased(_conv(_x())))
        y = tf.quantization.fake_quant_with_min_max_vars(y, 0, 3)
        _mean(_conv(y))

    before, after = quantizes(draw)
    known = by_name(after)
    ends = [
        [float(value(known[i])) for i in n.input[3:]] for n in after.nodes if n.op == "Requantize"
    ]
    assert [0, 3] in ends
    assert "QuantizedRelu" not in prepared.ops(after)
    assert _difference(before, after) < 0.05


def test_outputs_between(quantizes: _Quantizes) -> None:
    def draw() -> None:
        y = tf.nn.relu(_biased(_conv(_x())), name="z")
        _mean(_conv(y))

    before, after = quantizes(draw, outputs=("y", "z"))
    for name in "yz":
        wanted, found = (prepared.ran(g, {"x": _X[0]}, [name])[0] for g in (before, after))
        assert np.abs(wanted - found).max() < 0.05 * np.abs(wanted).max()


def test_functions_and_loops_stay_float(quantizes: _Quantizes) -> None:
    @tf.function
    def body(x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(_conv(x))

    def draw() -> None:
        _mean(_conv(body(_x())))

    before, after = quantizes(draw)
    assert [n.op for f in after.library.function for n in f.node_def].count("Conv2D") == 1
    assert prepared.ops(after)["QuantizedConv2D"] == 1
    assert _difference(before, after) < 0.05

    def loop() -> None:
        x = _conv(_x(), 4)
        y = tf1.while_loop(lambda _: False, lambda y: _conv(y, 4), (x,))
        _mean(_conv(tf.reshape(y, x.shape), 4))

    tf1.disable_control_flow_v2()
    try:
        before, after = quantizes(loop)
    finally:
        tf1.enable_control_flow_v2()
    assert prepared.ops(before)["Conv2D"] == 3
    assert (prepared.ops(after)["Conv2D"], prepared.ops(after)["QuantizedConv2D"]) == (1, 2)
    assert _difference(before, after) < 0.05


def _rows(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(path.read_bytes())
    for row in document["ranges"]:
        change(row)
    path.write_text(json.dumps(document))


def _renamed(row: dict[str, Any]) -> None:
    row["tensor"] = row["tensor"].replace("Relu", "Rel")


def _emptied(row: dict[str, Any]) -> None:
    if row["tensor"] == "Relu":
        row["high"] = row["low"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_renamed, "names 'Rel', which is not a node of the graph; did you mean .*Relu"),
        (_emptied, "tensor 'Relu': the range from 0 to 0 is empty"),
    ],
)
def test_wrong_ranges(
    change: Callable[[dict[str, Any]], None], message: str, quantizes: _Quantizes, tmp_path: Path
) -> None:
    before, _ = quantizes(_net)
    _rows(tmp_path / "ranges.json", change)
    with pytest.raises(InvalidInput, match=f"quantize_nodes: .*ranges.json: {message}"):
        quantizes.transformed(before, tmp_path / "ranges.json")


def test_a_missing_range(quantizes: _Quantizes, tmp_path: Path) -> None:
    before, _ = quantizes(_net)
    path = tmp_path / "ranges.json"
    document = json.loads(path.read_bytes())
    document["ranges"] = [row for row in document["ranges"] if row["tensor"] != "Relu"]
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match="has no range for the tensor 'Relu': run `tfcarve cal"):
        quantizes.transformed(before, path)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            'ranges="r.json", fallback_min=0, fallback_max=1',
            "pass either ranges or fallback_min and fallback_max",
        ),
        ("depthwise=true", "depthwise=true requires ranges"),
        ('ranges="no.json"', "no.json: no such file"),
    ],
)
def test_wrong_parameters(parameters: str, message: str, evaluator: Evaluator) -> None:
    with pytest.raises(InvalidInput, match=f"quantize_nodes: {message}"):
        prepared.transformed(prepared.drawn(_net), f"quantize_nodes({parameters})", evaluator)
