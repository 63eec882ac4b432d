"""Tests of fold_batch_norms and fold_old_batch_norms."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph, by_name

_CLOSE = 1e-5
_X = prepared.noise(2, 6, 6, 3)
_BOTH = "fold_batch_norms fold_old_batch_norms"
Draw = Callable[[], object]


def _positive(*shape: int) -> Array:
    return np.abs(prepared.noise(*shape)) + np.float32(0.5)


def _picture() -> tf.Tensor:
    return tf1.placeholder(tf.float32, _X.shape, name="x")


def _conv(x: tf.Tensor, channels: int = 4) -> tf.Tensor:
    return tf.nn.conv2d(x, prepared.noise(3, 3, 3, channels), 1, "SAME", name="conv")


def _depthwise(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.depthwise_conv2d(x, prepared.noise(3, 3, 3, 2), [1, 1, 1, 1], "SAME", name="conv")


def _transposed(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.conv2d_transpose(x, prepared.noise(2, 2, 5, 3), (2, 12, 12, 5), 2, name="conv")


def _dilated(x: tf.Tensor) -> tf.Tensor:
    propagate = tf.space_to_batch_nd(x, [2, 2], [[2, 2], [2, 2]])
    created = tf.nn.conv2d(propagate, prepared.noise(3, 3, 3, 4), 1, "VALID", name="conv")
    return tf.batch_to_space(created, [2, 2], [[0, 0], [0, 0]])


def _norm(x: tf.Tensor, op: str, **attrs: object) -> tf.Tensor:
    count = x.shape[-1]
    scale, offset = _positive(count), prepared.noise(count)
    mean, variance = prepared.noise(count) * 0.3, _positive(count)
    raw = getattr(tf.raw_ops, op)
    fed = {"scale": scale, "offset": offset, "mean": mean, "variance": variance}
    return raw(x=x, **fed, epsilon=0.01, name="y", **{"is_training": False, **attrs})[0]


_OLD = "BatchNormWithGlobalNormalization"


def _with_old_norms(graph: Graph, scale_after: bool = True) -> Graph:
    """Returns a graph with BatchNormWithGlobalNormalization instead of FusedBatchNorm."""
    for node in graph.nodes:
        if node.op == "FusedBatchNorm":
            x, scale, offset, mean, variance = node.input
            node.op = _OLD
            node.input[:] = [x, mean, variance, offset, scale]
            epsilon = node.attr["epsilon"].f
            node.attr.clear()
            node.attr["T"].type = 1
            node.attr["variance_epsilon"].f = epsilon
            node.attr["scale_after_normalization"].b = scale_after
    return replace(graph, versions=b'"\x02\x08\x08')  # the last graph version with this op


_NORMS = ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", _OLD]


@pytest.mark.parametrize("op", _NORMS)
@pytest.mark.parametrize("linear", [_conv, _depthwise, _transposed, _dilated])
@pytest.mark.parametrize("bias", [True, False])
def test_norms(
    op: str, linear: Callable[[tf.Tensor], tf.Tensor], bias: bool, evaluator: Evaluator
) -> None:
    def draw() -> None:
        created = linear(_picture())
        if bias:
            created = tf.nn.bias_add(created, prepared.noise(created.shape[-1]))
        _norm(created, "FusedBatchNorm" if op == _OLD else op)

    before = prepared.drawn(draw)
    before = _with_old_norms(before) if op == _OLD else before
    after = prepared.transformed(before, "fold_constants fold_old_batch_norms", evaluator)
    assert op in prepared.ops(before)
    assert op not in prepared.ops(after)
    assert prepared.ops(after)["BiasAdd"] == 1
    assert prepared.difference(before, after, {"x": _X}) < _CLOSE


def test_without_scale_after_normalization(evaluator: Evaluator) -> None:
    before = _with_old_norms(
        prepared.drawn(lambda: _norm(_conv(_picture()), "FusedBatchNorm")), False
    )
    after = prepared.transformed(before, "fold_old_batch_norms", evaluator)
    assert _OLD in prepared.ops(before)
    assert _OLD not in prepared.ops(after)
    assert prepared.difference(before, after, {"x": _X}) < _CLOSE


def _affine(x: tf.Tensor, first: str, shape: tuple[int, ...]) -> None:
    factor, term = _positive(*shape), prepared.noise(*shape)
    if first == "product":
        tf.add(tf.multiply(factor, x), term, name="y")
    elif first == "quotient":
        tf.subtract(x / factor, term, name="y")
    else:
        tf.multiply(x + term, factor, name="y")


@pytest.mark.parametrize("first", ["product", "quotient", "sum"])
@pytest.mark.parametrize("shape", [(4,), (1, 1, 1, 4), (1,), (1, 1)])
def test_multiplications_and_additions(
    first: str, shape: tuple[int, ...], evaluator: Evaluator
) -> None:
    before = prepared.drawn(lambda: _affine(_conv(_picture()), first, shape))
    after = prepared.transformed(before, "fold_batch_norms", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "Const": 2, "Conv2D": 1, "BiasAdd": 1}
    assert prepared.difference(before, after, {"x": _X}) < _CLOSE


@pytest.mark.parametrize("transposed", [True, False])
@pytest.mark.parametrize("first", ["product", "sum"])
def test_matrix_products(transposed: bool, first: str, evaluator: Evaluator) -> None:
    weights = prepared.noise(5, 3) if transposed else prepared.noise(3, 5)

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2, 3], name="x")
        _affine(tf.matmul(x, weights, transpose_b=transposed), first, (5,))

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_batch_norms", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "Const": 2, "MatMul": 1, "BiasAdd": 1}
    assert prepared.difference(before, after, {"x": prepared.noise(2, 3)}) < _CLOSE


def test_a_multiplication_without_addition_adds_no_bias(evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: tf.multiply(_conv(_picture()), _positive(4), name="y"))
    after = prepared.transformed(before, "fold_batch_norms", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "Const": 1, "Conv2D": 1}
    assert prepared.difference(before, after, {"x": _X}) < _CLOSE


def test_a_1d_convolution(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2, 8, 3], name="x")
        created = tf.nn.conv1d(x, prepared.noise(3, 3, 4), 1, "SAME")
        _affine(tf.nn.bias_add(created, prepared.noise(4)), "product", (4,))

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants fold_batch_norms", evaluator)
    assert {"Mul", "AddV2"}.isdisjoint(prepared.ops(after))
    assert (prepared.ops(after)["Squeeze"], prepared.ops(after)["BiasAdd"]) == (1, 1)
    assert prepared.difference(before, after, {"x": prepared.noise(2, 8, 3)}) < _CLOSE


def test_channels_first(evaluator: Evaluator) -> None:
    """TensorFlow has no such convolution on CPUs: both graphs are run with channels last."""

    def graph(layout: str) -> Graph:
        def draw() -> None:
            dims = (2, 3, 6, 6) if layout == "NCHW" else (2, 6, 6, 3)
            x = tf1.placeholder(tf.float32, dims, name="x")
            created = tf.nn.conv2d(x, prepared.noise(3, 3, 3, 4), 1, "SAME", data_format=layout)
            shape = (4, 1, 1) if layout == "NCHW" else (4,)
            scaled = tf.multiply(created, _positive(4).reshape(shape), name="scaled")
            _norm_of(scaled, layout)

        return prepared.drawn(draw)

    first, last = (
        prepared.transformed(graph(layout), _BOTH, evaluator) for layout in ("NCHW", "NHWC")
    )
    assert prepared.ops(first) == prepared.ops(last)
    assert by_name(first)["y"].attr["data_format"].s == b"NCHW"
    constants = [[n for n in g.nodes if n.op == "Const"] for g in (first, last)]
    assert constants[0] == constants[1]
    assert len(constants[0]) == 2


def _norm_of(x: tf.Tensor, layout: str) -> tf.Tensor:
    tf.raw_ops.FusedBatchNormV3(
        x=x, scale=_positive(4), offset=prepared.noise(4), mean=prepared.noise(4),
        variance=_positive(4), is_training=False, data_format=layout, name="y",
    )  # fmt: skip


def test_shared_weights(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = _picture()
        weights = tf.constant(prepared.noise(1, 1, 3, 3), name="w")
        a = tf.nn.conv2d(x, weights, 1, "SAME", name="a") * _positive(3)
        b = tf.nn.conv2d(a, weights, 1, "SAME", name="b") * (2 * _positive(3))
        tf.add(b, tf.nn.conv2d(x, weights, 1, "SAME", name="c"), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_batch_norms", evaluator)
    assert prepared.ops(after)["Mul"] == 0
    assert prepared.ops(after)["Const"] == 3
    assert prepared.inputs_of(after, "c")[1] == "w"
    assert prepared.difference(before, after, {"x": _X}) < _CLOSE


def _read_twice() -> None:
    created = _conv(_picture())
    tf.add(created * _positive(4), created, name="y")


def _is_output() -> None:
    tf.multiply(tf.identity(_conv(_picture()), name="z"), _positive(4), name="y")


def _not_by_channel() -> None:
    tf.multiply(_conv(_picture()), _positive(6, 1), name="y")


def _broadcasts() -> None:
    tf.multiply(_conv(_picture(), 1), _positive(4), name="y")


def _more_dimensions() -> None:
    tf.multiply(_conv(_picture()), _positive(1, 1, 1, 1, 4), name="y")


def _divides_by_zero() -> None:
    tf.divide(_conv(_picture()), np.zeros(4, np.float32), name="y")


def _as_second_operand() -> None:
    tf.divide(_positive(4), _conv(_picture()), name="y")


def _reads_the_mean() -> None:
    created = tf.raw_ops.FusedBatchNormV3(
        x=_conv(_picture()), scale=_positive(4), offset=prepared.noise(4),
        mean=prepared.noise(4), variance=_positive(4), is_training=False,
    )  # fmt: skip
    tf.add(created[0], created[1], name="y")


def _not_constant() -> None:
    tf.multiply(_conv(_picture()), tf.reduce_mean(_uses_the_input_again()), name="y")


def _uses_the_input_again() -> tf.Tensor:
    return tf1.get_default_graph().get_tensor_by_name("x:0")


@pytest.mark.parametrize(
    "draw",
    [
        _read_twice,
        _not_by_channel,
        _broadcasts,
        _more_dimensions,
        _divides_by_zero,
        _as_second_operand,
        _reads_the_mean,
        _not_constant,
    ],
)
def test_unsupported_graphs_are_not_changed(draw: Draw, evaluator: Evaluator) -> None:
    before = prepared.drawn(draw)
    after = prepared.transformed(before, _BOTH, evaluator)
    assert after.nodes == before.nodes


def test_training_mode_is_not_changed(evaluator: Evaluator) -> None:
    def draw() -> None:
        tf.raw_ops.FusedBatchNormV3(
            x=_conv(_picture()), scale=_positive(4), offset=prepared.noise(4),
            mean=prepared.noise(4), variance=_positive(4), is_training=True, exponential_avg_factor=0.5, name="y",
        )  # fmt: skip

    before = prepared.drawn(draw)
    assert prepared.transformed(before, _BOTH, evaluator).nodes == before.nodes


def test_a_fetched_intermediate_node_stays(evaluator: Evaluator) -> None:
    before = prepared.drawn(_is_output)
    after = prepared.transformed(before, _BOTH, evaluator, ("y", "z"))
    assert prepared.ops(after)["Mul"] == 1
    direct = prepared.transformed(before, f"remove_nodes(op=Identity) {_BOTH}", evaluator)
    assert prepared.ops(direct)["Mul"] == 0
    assert prepared.difference(before, direct, {"x": _X}) < _CLOSE


def test_zero_variance_causes_no_nan(evaluator: Evaluator) -> None:
    def draw() -> None:
        zeros = np.zeros(4, np.float32)
        tf.raw_ops.FusedBatchNormV3(
            x=_conv(_picture()), scale=zeros, offset=zeros, mean=zeros, variance=zeros,
            epsilon=0.001, is_training=False, name="y",
        )  # fmt: skip

    before = prepared.drawn(draw)
    after = prepared.transformed(before, _BOTH, evaluator)
    assert "FusedBatchNormV3" not in prepared.ops(after)
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_damaged_weights(evaluator: Evaluator) -> None:
    graph = prepared.drawn(lambda: tf.multiply(_conv(_picture()), _positive(4), name="y"))
    weights = next(n for n in graph.nodes if n.op == "Const" and "ilter" in n.name)
    weights.attr["value"].tensor.tensor_content = b"1234"
    with pytest.raises(
        InvalidInput, match=r"^fold_batch_norms: node '.*ilter.*: its constant of 108 values"
    ):
        prepared.transformed(graph, "fold_batch_norms", evaluator)


def test_in_functions(evaluator: Evaluator) -> None:
    def draw() -> None:
        created = tf.function(lambda a: tf.nn.relu(_conv(a) * _positive(4) + 1.0))
        tf.identity(created(_picture()), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_batch_norms", evaluator)
    assert {n.op for n in after.library.function[0].node_def} >= {"Conv2D", "BiasAdd", "Relu"}
    assert "Mul" not in {n.op for n in after.library.function[0].node_def}
    assert prepared.difference(before, after, {"x": _X}) < _CLOSE
