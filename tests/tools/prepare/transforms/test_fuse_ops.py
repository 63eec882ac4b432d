"""Tests of fuse_ops: TensorFlow runs the fused graph, and TensorFlow's own remapper creates the same nodes."""

from collections.abc import Callable

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import tf1
from tensorflow.python.grappler import tf_optimizer

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, by_name

_X = prepared.noise(2, 6, 6, 3)
_ACTIVATIONS: dict[str, Callable[..., tf.Tensor]] = {
    "": tf.identity,
    "Relu": tf.nn.relu,
    "Relu6": tf.nn.relu6,
    "Elu": tf.nn.elu,
    "LeakyRelu": lambda v: tf.nn.leaky_relu(v, 0.3),
}


def _picture(shape: tuple[int | None, ...] = (2, 6, 6, 3)) -> tf.Tensor:
    return tf1.placeholder(tf.float32, shape, name="x")


def _conv(x: tf.Tensor, bias: str, activation: str) -> None:
    created = tf.nn.conv2d(x, prepared.noise(3, 3, 3, 4), 1, "SAME", name="linear")
    _activated(created, bias, activation)


def _depthwise(x: tf.Tensor, bias: str, activation: str) -> None:
    """Two filters for each of two channels."""
    created = tf.nn.depthwise_conv2d(x[..., :2], prepared.noise(3, 2, 2, 2), [1, 2, 2, 1], "SAME")
    _activated(created, bias, activation)


def _activated(created: tf.Tensor, bias: str, activation: str) -> None:
    if bias == "add":
        created = tf.constant(prepared.noise(4)) + created
    elif bias == "bias":
        created = tf.nn.bias_add(created, prepared.noise(4))
    elif bias == "norm":
        variance = np.abs(prepared.noise(4)) + np.float32(0.5)
        created = tf1.nn.fused_batch_norm(
            created,
            prepared.noise(4),
            prepared.noise(4),
            prepared.noise(4),
            variance,
            is_training=False,
        )[0]
    tf.identity(_ACTIVATIONS[activation](created), name="y")


def _product(x: tf.Tensor, bias: str, activation: str) -> None:
    _activated(
        tf.matmul(tf.reshape(x, [-1, 3]), prepared.noise(3, 4), name="linear"), bias, activation
    )


@pytest.mark.parametrize("activation", _ACTIVATIONS)
@pytest.mark.parametrize(
    ("draw", "bias", "op"),
    [
        (_conv, "bias", "_FusedConv2D"),
        (_conv, "add", "_FusedConv2D"),
        (_conv, "norm", "_FusedConv2D"),
        (_depthwise, "bias", "_FusedConv2D"),
        (_depthwise, "add", "_FusedConv2D"),
        (_depthwise, "norm", "_FusedConv2D"),
        (_product, "bias", "_FusedMatMul"),
        (_product, "add", "_FusedMatMul"),
    ],
)
def test_outputs_are_equal(
    draw: Callable[..., None], bias: str, op: str, activation: str, evaluator: Evaluator
) -> None:
    before = prepared.drawn(lambda: draw(_picture(), bias, activation))
    after = prepared.transformed(before, "remove_nodes(op=Identity) fuse_ops", evaluator)
    ops = prepared.ops(after)
    assert ops[op] == 1
    gone = {"Conv2D", "DepthwiseConv2dNative", "MatMul", "BiasAdd", "AddV2", "FusedBatchNormV3"}
    assert {*gone, activation}.isdisjoint(ops)
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


def _remapped(graph: Graph) -> Graph:
    """Returns a graph after TensorFlow's remapper alone."""
    config = tf1.ConfigProto()
    options = config.graph_options.rewrite_options
    options.optimizers.append("remap")
    options.min_graph_nodes = -1
    options.meta_optimizer_iterations = 1
    definition = tf1.GraphDef.FromString(graph_file.to_bytes(graph))
    for node in definition.node:
        node.device = "/device:CPU:0"  # the remapper skips nodes without a device
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(definition, name="")
        meta = tf1.train.export_meta_graph(graph=imported)
        fetched = meta.collection_def["train_op"].node_list.value
        fetched.append("y")
    return prepared.from_tensorflow(tf_optimizer.OptimizeGraph(config, meta))


@pytest.mark.parametrize("activation", ["", "Relu", "LeakyRelu"])
@pytest.mark.parametrize(("draw", "bias"), [(_conv, "bias"), (_product, "bias"), (_conv, "norm")])
def test_nodes_are_those_of_the_remapper(
    draw: Callable[..., None], bias: str, activation: str, evaluator: Evaluator
) -> None:
    graph = prepared.drawn(lambda: draw(_picture(), bias, activation))
    fused_graph = prepared.transformed(graph, "fuse_ops", evaluator)
    expected = by_name(_remapped(graph))
    (fused,) = (node for node in fused_graph.nodes if node.op.startswith("_Fused"))
    same = expected[fused.name]
    assert (same.op, list(same.input)) == (fused.op, list(fused.input))
    for key, value in fused.attr.items():
        assert value == same.attr[key], key


def _unknown_channels() -> None:
    x = tf1.placeholder(tf.float32, [None, 6, 6, None], name="x")
    _conv(x, "bias", "Relu")


def _grouped() -> None:
    x = tf1.placeholder(tf.float32, [2, 6, 6, 6], name="x")
    _conv(x, "bias", "Relu")


def _not_a_bias() -> None:
    created = tf.nn.conv2d(_picture(), prepared.noise(3, 3, 3, 4), 1, "SAME")
    tf.add(created, prepared.noise(6, 4), name="y")


def _double() -> None:
    x = tf.cast(_picture(), tf.float64)
    created = tf.nn.conv2d(x, prepared.noise(3, 3, 3, 4).astype(np.float64), 1, "SAME")
    tf.nn.bias_add(created, prepared.noise(4).astype(np.float64), name="y")


def _read_twice() -> None:
    created = tf.nn.conv2d(_picture(), prepared.noise(3, 3, 3, 4), 1, "SAME")
    tf.add(tf.nn.bias_add(created, prepared.noise(4)), created, name="y")


def _computed_filter() -> None:
    filters = tf.sqrt(np.abs(prepared.noise(3, 3, 3, 1)))
    created = tf.nn.depthwise_conv2d(_picture(), filters, [1, 1, 1, 1], "SAME")
    tf.nn.bias_add(created, prepared.noise(3), name="y")


@pytest.mark.parametrize(
    "draw", [_unknown_channels, _grouped, _not_a_bias, _double, _read_twice, _computed_filter]
)
def test_unsupported_graphs_are_not_changed(draw: Callable[[], None], evaluator: Evaluator) -> None:
    before = prepared.drawn(draw)
    assert prepared.transformed(before, "fuse_ops", evaluator).nodes == before.nodes


@pytest.mark.parametrize("activation", ["Relu", "LeakyRelu"])
@pytest.mark.parametrize(("draw", "op"), [(_conv, "_FusedConv2D"), (_product, "_FusedMatMul")])
def test_an_activation_without_bias(
    draw: Callable[..., None], op: str, activation: str, evaluator: Evaluator
) -> None:
    before = prepared.drawn(lambda: draw(_picture(), "", activation))
    after = prepared.transformed(before, "remove_nodes(op=Identity) fuse_ops", evaluator)
    assert prepared.ops(after)[op] == 1
    assert activation not in prepared.ops(after)
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


def test_a_filter_with_other_readers_stays(evaluator: Evaluator) -> None:
    def draw() -> None:
        filters = tf.constant(prepared.noise(3, 3, 3, 1), name="filters")
        created = tf.nn.depthwise_conv2d(_picture(), filters, [1, 1, 1, 1], "SAME")
        tf.add(tf.nn.bias_add(created, prepared.noise(3)), tf.reduce_sum(filters), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fuse_ops", evaluator)
    assert prepared.ops(after)["_FusedConv2D"] == 1
    assert by_name(after)["filters"] == by_name(before)["filters"]
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


def test_a_fed_filter_stays(evaluator: Evaluator) -> None:
    def draw() -> None:
        filters = tf.constant(prepared.noise(3, 3, 3, 1), name="filters")
        created = tf.nn.depthwise_conv2d(_picture(), filters, [1, 1, 1, 1], "SAME")
        tf.nn.bias_add(created, prepared.noise(3), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fuse_ops", evaluator, inputs=("x", "filters"))
    assert after.nodes == before.nodes


def _conv_1d(axes: list[int], bias: str, activation: str) -> None:
    """A 1D convolution; without `axes` all dimensions of size 1 are squeezed."""
    created = tf.nn.conv2d(_picture((2, 6, 1, 3)), prepared.noise(3, 3, 3, 4), 1, "SAME")
    _activated(tf.squeeze(created, axes), bias, activation)


@pytest.mark.parametrize(("bias", "activation"), [("bias", "Relu"), ("add", ""), ("", "Relu6")])
def test_a_squeeze_is_moved_after_the_fused_op(
    bias: str, activation: str, evaluator: Evaluator
) -> None:
    before = prepared.drawn(lambda: _conv_1d([2], bias, activation))
    after = prepared.transformed(before, "remove_nodes(op=Identity) fuse_ops", evaluator)
    assert {"BiasAdd", "AddV2", "Conv2D", activation}.isdisjoint(prepared.ops(after))
    (squeeze,) = (node for node in after.nodes if node.op == "Squeeze")
    assert by_name(after)[squeeze.input[0]].op == "_FusedConv2D"
    fed = {"x": prepared.noise(2, 6, 1, 3)}
    assert prepared.difference(before, after, fed) < 1e-5


def test_a_squeeze_of_unknown_dimensions_stays(evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _conv_1d([], "bias", "Relu"))
    assert "_FusedConv2D" not in prepared.ops(prepared.transformed(before, "fuse_ops", evaluator))


def test_a_fetched_intermediate_node_stays(evaluator: Evaluator) -> None:
    def draw() -> None:
        created = tf.nn.conv2d(_picture(), prepared.noise(3, 3, 3, 4), 1, "SAME")
        tf.nn.relu(tf.nn.bias_add(created, prepared.noise(4), name="z"), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fuse_ops", evaluator, ("y", "z"))
    assert by_name(after)["z"].op == "_FusedConv2D"
    assert by_name(after)["y"].op == "Relu"
    assert prepared.difference(before, after, {"x": _X}, ("y", "z")) < 1e-5
