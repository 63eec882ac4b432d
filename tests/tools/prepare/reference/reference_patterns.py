"""Graphs of a few nodes, each with the pattern of one transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import prepared
import tensorflow as tf
from prepared import tf1
from reference_drawing import picture, plain, statistics


def times(product: Callable[[Any], Any], size: int) -> Callable[[], None]:
    """Returns a function that draws a multiplication by a constant after another op."""

    def draw() -> None:
        created = product(picture())
        tf.multiply(created, np.linspace(0.5, 2, size, dtype=np.float32), name="y")

    return draw


def conv(x: Any) -> Any:
    """Draws a convolution."""
    return tf.nn.conv2d(x, prepared.noise(3, 3, 3, 4), 1, "SAME", name="conv")


def depthwise(x: Any) -> Any:
    """Draws a depthwise convolution."""
    return tf.nn.depthwise_conv2d(x, prepared.noise(3, 3, 3, 2), [1] * 4, "SAME", name="conv")


def dense(x: Any) -> Any:
    """Draws a matrix product."""
    return tf.matmul(tf.reshape(x, [8, 24]), prepared.noise(24, 6), name="dense")


def fused_norm(op: Callable[..., Any]) -> Callable[[], None]:
    """Returns a function that draws a FusedBatchNorm, or a newer version, after a convolution."""

    def draw() -> None:
        mean, variance, beta, gamma = statistics(4)
        created = op(
            x=conv(picture()),
            scale=gamma,
            offset=beta,
            mean=mean,
            variance=variance,
            is_training=False,
        )
        tf.identity(created[0], name="y")

    return draw


def old_norm() -> Any:
    """Returns a graph with BatchNormWithGlobalNormalization instead of FusedBatchNorm."""
    definition = plain(fused_norm(tf.raw_ops.FusedBatchNorm))
    (node,) = (n for n in definition.node if n.op == "FusedBatchNorm")
    x, gamma, beta, mean, variance = node.input
    node.op = "BatchNormWithGlobalNormalization"
    node.input[:] = [x, mean, variance, beta, gamma]
    epsilon = node.attr["epsilon"].f
    node.attr.clear()
    node.attr["T"].type = tf.float32.as_datatype_enum
    node.attr["variance_epsilon"].f = epsilon
    node.attr["scale_after_normalization"].b = True
    definition.versions.producer = 8  # newer graph versions reject this op
    return definition


def atrous(pads: list[list[int]]) -> Callable[[], None]:
    """Returns a function that draws a dilated convolution as three nodes."""

    def draw() -> None:
        propagate = tf.space_to_batch_nd(picture(), [2, 2], pads)
        created = tf.nn.conv2d(propagate, prepared.noise(3, 3, 3, 4), 1, "VALID")
        tf.raw_ops.BatchToSpaceND(
            input=created, block_shape=np.array([2, 2]), crops=[[0, 0], [0, 0]], name="y"
        )

    return draw


def before_conv(make: Callable[[Any], Any], batch: int = 1) -> Callable[[], None]:
    """Returns a function that draws a convolution of `make` applied to the input."""

    def draw() -> None:
        tf.nn.conv2d(make(picture(batch)), prepared.noise(3, 3, 3, 4), 1, "VALID", name="y")

    return draw


_PADS = [[0, 0], [1, 2], [3, 0], [0, 0]]


def mirrored(x: Any) -> Any:
    """Draws mirrored padding."""
    return tf.pad(x, _PADS, "REFLECT")


def resized(x: Any) -> Any:
    """Draws a resized image."""
    return tf.raw_ops.ResizeBilinear(images=x, size=[12, 11], align_corners=True)


def array_in_a_loop() -> None:
    """Draws a loop that writes to a TensorArray."""
    x = picture()
    array = tf1.TensorArray(tf.float32, 4)
    _, array = tf1.while_loop(
        lambda i, _: i < 4, lambda i, a: (i + 1, a.write(i, x[0, i] * 2.0)), (0, array)
    )
    tf.identity(array.stack(), name="y")


def concat_of_int64() -> None:
    """Draws a ConcatV2 with an axis of int64."""
    x = picture()
    tf.concat([x, x * 2.0], tf.constant(3, tf.int64), name="y")


def calling() -> None:
    """Draws a call of a function with two outputs."""
    x = picture()

    @tf.function
    def halves(v: Any) -> Any:
        low, high = tf.split(tf.tanh(v), 2, 2)
        return low, tf.exp(high)

    low, high = tf.raw_ops.PartitionedCall(
        args=[x], Tout=[tf.float32] * 2, f=halves.get_concrete_function(x), name="call"
    )
    tf.add(low, high, name="y")


def gathering(ids_are: Any) -> Callable[[], None]:
    """Returns a function that draws a lookup in a table with few nonzero rows."""

    def draw() -> None:
        _lookup(tf1.placeholder(ids_are, [6], name="x"))

    return draw


def _lookup(ids: Any) -> None:
    table = np.zeros((200, 1), np.float32)
    table[[3, 70, 150]] = [[1.5], [-2.0], [0.25]]
    read = tf1.get_variable("table", initializer=table)
    tf.identity(tf.raw_ops.GatherV2(params=read, indices=ids, axis=0), name="y")
    tf.negative(ids, name="unused")


def with_range() -> None:
    """Draws a qint32 tensor whose range is computed, as quantize_nodes does."""
    whole = tf.raw_ops.QuantizeV2(
        input=picture(), min_range=-4.0, max_range=4.0, T=tf.qint32, mode="MIN_FIRST"
    )
    low, high = tf.raw_ops.RequantizationRange(
        input=whole[0], input_min=whole[1], input_max=whole[2], name="range"
    )
    small = tf.raw_ops.Requantize(
        input=whole[0],
        input_min=whole[1],
        input_max=whole[2],
        requested_output_min=low,
        requested_output_max=high,
        out_type=tf.quint8,
    )
    tf.raw_ops.Dequantize(
        input=small[0], min_range=small[1], max_range=small[2], mode="MIN_FIRST", name="y"
    )


def after_another() -> None:
    """Draws more nodes than there are names of one character."""
    created = picture()
    for _ in range(70):
        created = tf.tanh(created)
    tf.identity(created, name="y")


def quantizable() -> None:
    """Draws ops that TensorFlow's tool quantizes."""
    created = tf.nn.relu(tf.nn.bias_add(conv(picture()), prepared.noise(4)))
    created = tf.nn.relu6(tf.nn.max_pool2d(created, 2, 2, "VALID"))
    created = tf.matmul(tf.reshape(created, [1, 64]), prepared.noise(64, 5))
    tf.identity(created, name="y")


def zero_weights() -> None:
    """Draws a convolution with a filter of zeros."""
    tf.nn.conv2d(picture(), np.zeros((5, 5, 3, 20), np.float32), 1, "SAME", name="y")


def lowered(draw: Callable[[], object]) -> Any:
    """Returns the GraphDef that `draw` creates, with loops lowered to Enter, Merge and Switch."""
    with tf.Graph().as_default() as graph:
        tf1.disable_control_flow_v2()
        try:
            draw()
        finally:
            tf1.enable_control_flow_v2()
    definition = graph.as_graph_def()
    definition.versions.producer = 25  # newer graph versions reject TensorArrayV2
    return definition
