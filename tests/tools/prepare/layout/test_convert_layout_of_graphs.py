"""Tests of convert_layout: inputs and outputs, functions, loops, whole graphs."""

import numpy as np
import prepared
import tensorflow as tf
from layouts import TO_LAST, TO_SECOND, Layout, X, drawn, formats
from prepared import tf1

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.pipeline import presets


def test_fetched_nodes_keep_name_and_shape(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (2, 4, 8, 8), name="x")
        y = tf.nn.relu(Layout(False).conv(x), name="part/y")
        a, b = tf.split(y, [1, 3], 1, name="parts")
        tf.identity(tf.concat([b, a], 1), name="y")

    outputs = ["part/y", "parts", "parts:1", "y"]
    before = prepared.drawn(draw)
    after = prepared.transformed(before, "convert_layout", evaluator, outputs)
    listed = prepared.ran(after, {"x": X}, outputs)
    assert [a.shape for a in listed] == [(2, 4, 8, 8), (2, 1, 8, 8), (2, 3, 8, 8), (2, 4, 8, 8)]
    assert np.array_equal(listed[0], np.concatenate(listed[1:3], 1))
    assert np.array_equal(listed[3], np.concatenate([listed[2], listed[1]], 1))


def test_a_fed_intermediate_tensor(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (2, 4, 8, 8), name="x")
        z = tf.nn.relu(Layout(False).conv(x), name="z")
        tf.identity(Layout(False).conv(z), name="y")

    after = prepared.transformed(
        prepared.drawn(draw), "convert_layout", evaluator, ["y"], ["x", "z"]
    )
    of_z = prepared.ran(after, {"z": X}, ["y"])[0]
    of_x = prepared.ran(after, {"x": X}, ["y"])[0]
    only = drawn(lambda at, x: at.conv(x), True)
    assert np.abs(of_z - prepared.ran(only, {"x": X}, ["y"])[0]).max() < 1e-5
    assert np.abs(of_z - of_x).max() > 0.1


def test_three_dimensions(evaluator: Evaluator) -> None:
    def draw(last: bool) -> Graph:
        def image() -> None:
            x = tf1.placeholder(tf.float32, (2, 3, 4, 6, 8), name="x")
            y = tf.transpose(x, (0, 2, 3, 4, 1)) if last else x
            name = "NDHWC" if last else "NCDHW"
            strides = [1, 1, 2, 1, 1] if last else [1, 1, 1, 2, 1]
            y = tf.nn.conv3d(y, prepared.noise(2, 3, 3, 3, 4), strides, "SAME", data_format=name)
            y = tf.nn.bias_add(y, prepared.noise(4), "NHWC" if last else "NCHW")
            y = tf.nn.max_pool3d(y, strides, strides, "VALID", data_format=name)
            tf.identity(tf.transpose(y, (0, 4, 1, 2, 3)) if last else y, name="y")

        return prepared.drawn(image)

    after = prepared.transformed(draw(False), "convert_layout", evaluator)
    assert formats(after) == {b"NDHWC", b"NHWC"}
    assert prepared.ops(after)["Transpose"] == 2
    assert prepared.difference(draw(True), after, {"x": prepared.noise(2, 3, 4, 6, 8)}) < 1e-5


def test_channels_last_is_not_changed(evaluator: Evaluator) -> None:
    before = drawn(Layout.bias, True)
    assert prepared.transformed(before, "convert_layout", evaluator).nodes == before.nodes


def test_function_bodies(evaluator: Evaluator) -> None:
    def draw(last: bool) -> Graph:
        @tf.function
        def body(x: tf.Tensor) -> tf.Tensor:
            return Layout(last).bias(x)

        def image() -> None:
            x = tf1.placeholder(tf.float32, (2, 4, 8, 8), name="x")
            y = body(tf.transpose(x, TO_LAST) if last else x)
            tf.identity(tf.transpose(y, TO_SECOND) if last else y, name="y")

        return prepared.drawn(image)

    after = prepared.transformed(draw(False), "convert_layout", evaluator)
    (function,) = after.library.function
    assert [n.op for n in function.node_def].count("Transpose") == 2
    assert prepared.difference(draw(True), after, {"x": X}) < 1e-5


def test_in_a_loop(evaluator: Evaluator) -> None:
    def draw(last: bool) -> Graph:
        def image() -> None:
            at = Layout(last)
            x = tf1.placeholder(tf.float32, (2, 4, 8, 8), name="x")
            y = tf.transpose(x, TO_LAST) if last else x
            shape = y.shape
            y = tf1.while_loop(
                lambda v: tf.reduce_sum(tf.abs(v)) > 10.0,
                lambda v: (tf.ensure_shape(at.conv(v * 0.1), shape),),
                (y,),
            )
            tf.identity(tf.transpose(y, TO_SECOND) if last else y, name="y")

        tf1.disable_control_flow_v2()
        try:
            return prepared.drawn(image)
        finally:
            tf1.enable_control_flow_v2()

    after = prepared.transformed(draw(False), "convert_layout", evaluator)
    assert formats(after) == {b"NHWC"}
    assert prepared.difference(draw(True), after, {"x": X}) < 1e-5


def test_mobile_folds_batch_norms_of_channels_first(evaluator: Evaluator) -> None:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(at.norm(x, "V3"))

    after = prepared.transformed(
        drawn(draw, False),
        " ".join(step.name for step in presets.preset("mobile") if not step.parameters),
        evaluator,
    )
    assert "FusedBatchNormV3" not in prepared.ops(after)
    assert prepared.ops(after)["Transpose"] == 2
    assert prepared.difference(drawn(draw, True), after, {"x": X}) < 1e-5


def test_full_tensorflow_with_channels_first_has_equal_outputs(evaluator: Evaluator) -> None:
    """TensorFlow runs channels first with oneDNN."""
    before = drawn(Layout.means, False)
    unconverted = prepared.ran(before, {"x": X}, ["y"])[0]
    after = prepared.transformed(before, "convert_layout", evaluator)
    converted = prepared.ran(after, {"x": X}, ["y"])[0]
    assert np.abs(unconverted - converted).max() < 1e-4
    assert np.abs(unconverted).max() > 0.1
