"""Transforms of graphs with nodes that TensorFlow rejects: they are left alone, or the message names them."""

from collections.abc import Callable

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare import transforms
from tfcarve.prepare.context import Context, Parameters
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, by_name

_FILTER = (3, 3, 3, 4)


def _convolution() -> None:
    x = tf1.placeholder(tf.float32, [1, 8, 8, 3], name="x")
    found = tf.nn.conv2d(x, tf.constant(prepared.noise(*_FILTER), name="filter"), 1, "SAME")
    scale = abs(prepared.noise(4)) + 1
    tf1.nn.fused_batch_norm(found, scale, scale, scale, scale, is_training=False, name="y")


def _dilated() -> None:
    x = tf1.placeholder(tf.float32, [1, 8, 8, 3], name="x")
    pads = tf.constant([[2, 2], [2, 2]])
    found = tf.space_to_batch(x, tf.constant([2, 2], tf.int64, name="block"), pads)
    found = tf.nn.conv2d(found, tf.constant(prepared.noise(*_FILTER), name="filter"), 1, "VALID")
    block = tf.constant([2, 2], tf.int64, name="block_after")
    tf.batch_to_space(found, block, tf.constant([[0, 0], [0, 0]]), name="y")


def _applied(graph: Graph, name: str, evaluator: Evaluator) -> Graph:
    """Applies one transform to a copy of a graph that need not be valid."""
    context = Context(("x",), ("y",), Parameters(name), evaluator)
    return transforms.load(name).apply(prepared.copy(graph), context)


def _set(graph: Graph, name: str, array: Array) -> None:
    constant = nodes.constant(name, array, ())
    by_name(graph)[name].CopyFrom(constant)


@pytest.mark.parametrize("array", [np.ones(_FILTER, np.int32), np.full(_FILTER, b"a", object)])
@pytest.mark.parametrize(
    ("draw", "transform"),
    [(_convolution, "fold_old_batch_norms"), (_dilated, "flatten_atrous_conv")],
)
def test_a_filter_of_another_type(
    draw: Callable[[], None], transform: str, array: Array, evaluator: Evaluator
) -> None:
    graph = prepared.drawn(draw)
    # The control: with floats, the nodes are merged.
    assert len(prepared.transformed(graph, transform, evaluator).nodes) < len(graph.nodes)
    _set(graph, "filter", array)
    assert prepared.ops(_applied(graph, transform, evaluator)) == prepared.ops(graph)


@pytest.mark.parametrize(
    "block",
    [
        np.array([1 << 32, 1 << 32]),
        np.array([1 << 62, 4]),
        np.array([0, 0]),
        np.array([-1, -1]),
        np.array([b"a", b"b"], object),
    ],
)
def test_invalid_dilations(block: Array, evaluator: Evaluator) -> None:
    graph = prepared.drawn(_dilated)
    for name in ("block", "block_after"):
        _set(graph, name, block)
    after = _applied(graph, "flatten_atrous_conv", evaluator)
    assert prepared.ops(after) == prepared.ops(graph)


def _switched() -> None:
    x = tf1.placeholder(tf.float32, [2], name="x")
    low, high = tf.raw_ops.Switch(data=x, pred=tf.constant(True), name="switch")
    with tf1.control_dependencies([low]):
        merged = tf.identity(high, name="read")
    tf.raw_ops.Merge(inputs=[low, merged], name="y")


def test_a_switch_without_condition(evaluator: Evaluator) -> None:
    graph = prepared.drawn(_switched)
    prepared.transformed(graph, "simplify_control_dependencies", evaluator)
    del by_name(graph)["switch"].input[1]
    with pytest.raises(InvalidInput, match=r"node 'switch': Switch has 1 inputs, not 2"):
        prepared.transformed(graph, "simplify_control_dependencies", evaluator)


@pytest.mark.parametrize("data", [True, False])
def test_a_noop_that_is_read(data: bool, evaluator: Evaluator) -> None:
    graph = prepared.drawn(_switched)
    source = "x" if data else "^x"
    graph.nodes.append(nodes.make("NoOp", "nothing", ()))
    graph.nodes[-1].input.append(source)
    by_name(graph)["y"].input[0] = "nothing"
    after = _applied(graph, "simplify_control_dependencies", evaluator)
    assert by_name(after)["nothing"].input == [source]
