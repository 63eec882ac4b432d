"""The fix that selection names for an attribute that kernels refuse is applied, in models with and without loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import advice
import layouts
import prepared
import pytest
import tensorflow as tf
from layouts import Draw, Layout
from prepared import tf1

from tfcarve import cli
from tfcarve.models import read
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import endpoints, graph_file
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.pipeline import pipeline
from tfcarve.prepare.pipeline.transform_list import parse
from tfcarve.releases import known
from tfcarve.selection import refused_attributes

_RELEASE = known.release()


def _pool(op: Callable[..., tf.Tensor]) -> Draw:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        sizes = {"ksize": at.dims(1, 1, 2, 2), "strides": at.dims(1, 1, 2, 2)}
        read = {"value" if op is tf.raw_ops.AvgPool else "input": x}
        return op(**read, **sizes, padding="SAME", data_format=at.format)

    return draw


def _transposed_conv(at: Layout, x: tf.Tensor) -> tf.Tensor:
    strides, shape = at.dims(1, 1, 2, 2), at.dims(2, 3, 16, 16)
    weights = prepared.noise(3, 3, 3, 4)
    return tf.nn.conv2d_transpose(x, weights, shape, strides, "SAME", data_format=at.format)


def _depthwise(at: Layout, x: tf.Tensor) -> tf.Tensor:
    strides = at.dims(1, 1, 1, 1)
    weights = prepared.noise(3, 3, 4, 2)
    return tf.nn.depthwise_conv2d(x, weights, strides, "SAME", data_format=at.format)


def _transposed_depthwise(at: Layout, x: tf.Tensor) -> tf.Tensor:
    return tf.raw_ops.DepthwiseConv2dNativeBackpropInput(
        input_sizes=at.dims(2, 4, 8, 8),
        filter=prepared.noise(3, 3, 4, 1),
        out_backprop=x,
        strides=at.dims(1, 1, 1, 1),
        padding="SAME",
        data_format=at.format,
    )


def _blocks(op: Callable[..., tf.Tensor]) -> Draw:
    return lambda at, x: op(input=x, block_size=2, data_format=at.format)


class _Deep:
    """A picture for ops of three dimensions: its rows become planes with one row."""

    def __init__(self, at: Layout) -> None:
        self.last = at.last
        self.format = "NDHWC" if at.last else "NCDHW"
        self._rows = 2 if at.last else 3

    def dims(self, channels: object, size: object) -> list[object]:
        return [1, size, size, size, channels] if self.last else [1, channels, size, size, size]

    def read(self, x: tf.Tensor) -> tf.Tensor:
        return tf.expand_dims(x, self._rows)

    def picture(self, y: tf.Tensor) -> tf.Tensor:
        return tf.squeeze(y, [self._rows])


def _deep_conv(at: Layout, x: tf.Tensor) -> tf.Tensor:
    deep = _Deep(at)
    weights = prepared.noise(3, 1, 3, 4, 2)
    y = tf.nn.conv3d(deep.read(x), weights, deep.dims(1, 1), "SAME", deep.format)
    return deep.picture(y)


def _transposed_deep_conv(at: Layout, x: tf.Tensor) -> tf.Tensor:
    deep = _Deep(at)
    shape = [2, 8, 1, 8, 2] if at.last else [2, 2, 8, 1, 8]
    weights = prepared.noise(3, 1, 3, 2, 4)
    strides = deep.dims(1, 1)
    y = tf.nn.conv3d_transpose(deep.read(x), weights, shape, strides, "SAME", deep.format)
    return deep.picture(y)


def _deep_pool(op: Callable[..., tf.Tensor]) -> Draw:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        deep = _Deep(at)
        size = deep.dims(1, 2)
        y = op(
            input=deep.read(x), ksize=size, strides=size, padding="SAME", data_format=deep.format
        )
        return deep.picture(y)

    return draw


_DRAWN: Mapping[str, Draw] = {
    "AvgPool": _pool(tf.raw_ops.AvgPool),
    "AvgPool3D": _deep_pool(tf.raw_ops.AvgPool3D),
    "Conv2D": lambda at, x: at.conv(x),
    "Conv2DBackpropInput": _transposed_conv,
    "Conv3D": _deep_conv,
    "Conv3DBackpropInputV2": _transposed_deep_conv,
    "DepthToSpace": _blocks(tf.raw_ops.DepthToSpace),
    "DepthwiseConv2dNative": _depthwise,
    "DepthwiseConv2dNativeBackpropInput": _transposed_depthwise,
    "MaxPool": _pool(tf.raw_ops.MaxPool),
    "MaxPool3D": _deep_pool(tf.raw_ops.MaxPool3D),
    "MaxPoolV2": _pool(tf.raw_ops.MaxPoolV2),
    "SpaceToDepth": _blocks(tf.raw_ops.SpaceToDepth),
}


def _rows() -> Iterator[tuple[str, str]]:
    """Yields the op and the fix of each row whose fix is a command."""
    for op, rows in sorted(refused_attributes.load(_RELEASE).items()):
        yield from ((op, row.fix) for row in rows if "tfcarve" in row.fix)


def _looped(draw: Draw) -> Draw:
    def drawn(at: Layout, x: tf.Tensor) -> tf.Tensor:
        def body(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return i + 1, y + tf.reduce_mean(draw(at, y))

        return tf1.while_loop(lambda i, _: i < 2, body, [0, x])[1]

    return drawn


def _drawn(op: str, form: str, last: bool) -> Graph:
    draw = _DRAWN[op] if form == "no loop" else _looped(_DRAWN[op])
    if form != "frames":
        return layouts.drawn(draw, last)
    tf1.disable_control_flow_v2()
    try:
        return layouts.drawn(draw, last)
    finally:
        tf1.enable_control_flow_v2()


def _refused(path: Path) -> set[str]:
    uses = read.read(path).nodes
    return {use.op for use in uses if refused_attributes.refusal(use, _RELEASE) is not None}


@pytest.mark.parametrize("form", ["no loop", "frames", "functional"])
@pytest.mark.parametrize(("op", "fix"), [pytest.param(op, fix, id=op) for op, fix in _rows()])
def test_the_fix(op: str, fix: str, form: str, tmp_path: Path, evaluator: Evaluator) -> None:
    """The rows come from the data file, so the fix of a new row is applied too; a new op needs an entry above."""
    before, path = _drawn(op, form, last=False), tmp_path / "m.pb"
    graph_file.write_graph(path, before)
    assert _refused(path) == {op}
    for words in advice.commands(fix, {"MODEL": str(path)}):
        arguments = cli.parser([words[0]]).parse_args([*words, "-o", str(path)])
        graph = graph_file.read_graph(arguments.model)
        ends = endpoints.inputs(graph), endpoints.outputs(graph)
        steps = parse(arguments.transforms)
        graph_file.write_graph(path, pipeline.transform(graph, steps, *ends, evaluator))
    assert _refused(path) == set()
    after = graph_file.read_graph(path)
    expected = _drawn(op, form, last=True)
    assert prepared.difference(expected, after, {"x": layouts.X}) < 1e-5
