"""Graphs drawn twice: with channels first, and with channels last as the reference."""

from __future__ import annotations

from collections.abc import Callable

import prepared
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph

_CHANNELS, _SIZE = 4, 8
X = prepared.noise(2, _CHANNELS, _SIZE, _SIZE)
TO_LAST, TO_SECOND = (0, 2, 3, 1), (0, 3, 1, 2)
Draw = Callable[["Layout", tf.Tensor], tf.Tensor]


class Layout:
    """A layout to draw in: channels last or channels first."""

    def __init__(self, last: bool) -> None:
        self.last = last
        self.format = "NHWC" if last else "NCHW"
        self.channel = 3 if last else 1
        self.spatial = [1, 2] if last else [2, 3]

    def dims(self, n: object, c: object, h: object, w: object) -> list[object]:
        """Returns per-dimension values in the layout's order."""
        return [n, h, w, c] if self.last else [n, c, h, w]

    def constant(self, *shape: int) -> Array:
        """Returns noise for broadcasting, with a shape in channels-second order."""
        values = prepared.noise(*shape)
        if not self.last:
            return values
        whole = values.reshape((1,) * (4 - values.ndim) + values.shape)
        return whole.transpose(TO_LAST)

    def conv(
        self, x: tf.Tensor, out: int = 4, stride: int = 1, padding: object = "SAME"
    ) -> tf.Tensor:
        """Returns a convolution with a random filter."""
        channels = int(x.shape[self.channel])
        strides = self.dims(1, 1, stride, stride)
        weights = prepared.noise(3, 3, channels, out)
        return tf.nn.conv2d(x, weights, strides, padding, data_format=self.format)

    def norm(self, x: tf.Tensor, version: str) -> tf.Tensor:
        """Returns a batch normalization (FusedBatchNorm of that version) of a convolution."""
        op = getattr(tf.raw_ops, f"FusedBatchNorm{version}")
        scale = offset = prepared.noise(4)
        return op(
            x=self.conv(x), scale=scale, offset=offset, mean=offset, variance=scale + 2, data_format=self.format,
            is_training=False,
        ).y  # fmt: skip

    def bias(self, x: tf.Tensor) -> tf.Tensor:
        """Returns a convolution with bias and activation."""
        return tf.nn.relu6(tf.nn.bias_add(self.conv(x), prepared.noise(4), self.format))

    def means(self, x: tf.Tensor) -> tf.Tensor:
        """Returns a convolution with a gate, reduced to its channels."""
        y = self.conv(x)
        gate = tf.sigmoid(tf.reduce_mean(y, self.spatial, keepdims=True))
        return tf.reduce_max(y * gate, self.spatial) + tf.reduce_sum(y)


def drawn(draw: Draw, last: bool, batch: int | None = 2) -> Graph:
    """Returns a graph whose x and y have channels first; with `last` the nodes in between have channels last."""

    def image() -> None:
        layout = Layout(last)
        x = tf1.placeholder(tf.float32, (batch, _CHANNELS, _SIZE, _SIZE), name="x")
        y = draw(layout, tf.transpose(x, TO_LAST) if last else x)
        is_image = y.shape.rank == 4
        y = tf.transpose(y, TO_SECOND) if last and is_image else y
        tf.identity(y, name="y")

    return prepared.drawn(image)


def formats(graph: Graph) -> set[bytes]:
    """Returns the values of data_format in a graph."""
    return {node.attr["data_format"].s for node in graph.nodes if "data_format" in node.attr}


def converted(draw: Draw, evaluator: Evaluator, batch: int | None = 2) -> Graph:
    """Returns the converted graph, after comparing it with the graph drawn with channels last."""
    before = drawn(draw, False, batch)
    assert {b"NCHW"} == formats(before)
    after = prepared.transformed(before, "convert_layout", evaluator)
    assert formats(after) == {b"NHWC"}
    assert prepared.difference(drawn(draw, True, batch), after, {"x": X}) < 1e-5
    return after
