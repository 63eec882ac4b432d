"""Tests of the transforms that fuse padding, resizing and dilation into convolutions."""

from collections.abc import Callable

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve.prepare.evaluate.evaluator import Evaluator

_X = prepared.noise(1, 6, 6, 3)
_PADS = [[0, 0], [1, 2], [3, 0], [0, 0]]


def _picture(batch: int | None = 1) -> tf.Tensor:
    return tf1.placeholder(tf.float32, (batch, 6, 6, 3), name="x")


def _conv(x: tf.Tensor, padding: str = "VALID", **attrs: object) -> tf.Tensor:
    return tf.nn.conv2d(x, prepared.noise(3, 3, 3, 4), 2, padding, name="y", **attrs)


def _depthwise(x: tf.Tensor, name: str = "y") -> tf.Tensor:
    return tf.nn.depthwise_conv2d(x, prepared.noise(3, 3, 3, 2), [1, 2, 2, 1], "VALID", name=name)


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_mirror_pad(mode: str, padding: str, evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _conv(tf.pad(_picture(), _PADS, mode), padding))
    after = prepared.transformed(before, "fuse_pad_and_conv", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "Const": 2, "FusedPadConv2D": 1}
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


@pytest.mark.parametrize("transform", ["fuse_pad_and_conv", "fold_pads"])
def test_zero_padding(transform: str, evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _conv(tf.pad(_picture(), _PADS)))
    after = prepared.transformed(before, transform, evaluator)
    assert "Pad" in prepared.ops(before)
    assert "Pad" not in prepared.ops(after)
    assert prepared.ops(after)["Const"] == prepared.ops(before)["Const"] - 1
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


def test_zero_padding_before_a_depthwise_convolution_stays(evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _depthwise(tf.pad(_picture(), _PADS)))
    after = prepared.transformed(before, "fold_pads", evaluator)
    assert prepared.ops(after) == prepared.ops(before)


@pytest.mark.parametrize("activation", [tf.nn.relu6, tf.identity])
def test_zero_padding_before_a_fused_convolution(
    activation: Callable[[tf.Tensor], tf.Tensor], evaluator: Evaluator
) -> None:
    def draw() -> None:
        created = _depthwise(tf.pad(_picture(), _PADS), name="depthwise")
        created = activation(tf.nn.bias_add(created, prepared.noise(6)))
        tf.identity(created, name="y")

    before = prepared.drawn(draw)
    steps = "remove_nodes(op=Identity) fuse_ops fold_pads"
    after = prepared.transformed(before, steps, evaluator)
    assert prepared.ops(after)["_FusedConv2D"] == 1
    assert {"Pad", "DepthwiseConv2dNative", "BiasAdd"}.isdisjoint(prepared.ops(after))
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


def test_fed_padding_sizes_stay(evaluator: Evaluator) -> None:
    def draw() -> None:
        _conv(tf.pad(_picture(), tf.constant(_PADS, name="pads")))

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_pads", evaluator, inputs=("x", "pads"))
    assert after.nodes == before.nodes


def test_tensorflow_is_wrong_for_a_batch_larger_than_1() -> None:
    """If this fails, fuse_pad_and_conv no longer needs to exclude batches."""
    fused = tf.raw_ops.FusedPadConv2D(
        input=prepared.noise(2, 6, 6, 3),
        paddings=_PADS,
        filter=prepared.noise(3, 3, 3, 4),
        mode="REFLECT",
        strides=[1, 2, 2, 1],
        padding="VALID",
    )
    right = _conv(tf.pad(prepared.noise(2, 6, 6, 3), _PADS, "REFLECT"))
    assert np.abs(fused - right).max() > 1


def _resized(x: tf.Tensor, **attrs: bool) -> tf.Tensor:
    return tf.raw_ops.ResizeBilinear(images=x, size=[9, 8], **attrs)


@pytest.mark.parametrize("align", [True, False])
def test_resizing(align: bool, evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _conv(_resized(_picture(), align_corners=align)))
    after = prepared.transformed(before, "fuse_resize_and_conv", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "Const": 3, "FusedResizeAndPadConv2D": 1}
    assert "y_dummy_paddings" in prepared.inputs_of(after, "y")
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
def test_resizing_and_padding(mode: str, evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _conv(tf.pad(_resized(_picture()), _PADS, mode)))
    after = prepared.transformed(before, "fuse_resize_pad_and_conv", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "Const": 3, "FusedResizeAndPadConv2D": 1}
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


def _read_twice() -> None:
    padded = tf.pad(_picture(), _PADS)
    tf.identity(padded, name="z")
    _conv(padded)


def _of_channels() -> None:
    x = tf1.placeholder(tf.float32, (1, 6, 6, 1), name="x")
    _conv(tf.pad(x, [[0, 0], [0, 0], [0, 0], [1, 1]]))


def _zeros_and_same() -> None:
    _conv(tf.pad(_picture(), _PADS), "SAME")


def _mirrored_and_dilated() -> None:
    x = tf.pad(_picture(), _PADS, "REFLECT")
    tf.nn.conv2d(x, prepared.noise(3, 3, 3, 4), 1, "VALID", dilations=2, name="y")


def _batch_of_several() -> None:
    _conv(tf.pad(_picture(2), _PADS, "REFLECT"))


def _unknown_batch() -> None:
    _conv(_resized(_picture(None)))


def _unknown_batch_padded() -> None:
    _conv(tf.pad(_resized(_picture(None)), _PADS, "REFLECT"))


def _half_pixel_centers() -> None:
    _conv(_resized(_picture(), half_pixel_centers=True))


def _of_uint8() -> None:
    _conv(_resized(tf.cast(_picture(), tf.uint8)))


@pytest.mark.parametrize(
    "draw",
    [
        _read_twice,
        _of_channels,
        _zeros_and_same,
        _mirrored_and_dilated,
        _batch_of_several,
        _unknown_batch,
        _unknown_batch_padded,
        _half_pixel_centers,
        _of_uint8,
    ],
)
def test_unsupported_graphs_are_not_changed(draw: Callable[[], None], evaluator: Evaluator) -> None:
    before = prepared.drawn(draw)
    all_of_them = "fuse_resize_pad_and_conv fuse_resize_and_conv fuse_pad_and_conv"
    assert prepared.transformed(before, all_of_them, evaluator).nodes == before.nodes


def _atrous(
    pads: list[list[int]], crops: list[list[int]], size: int = 3, depthwise: bool = False, padding: str = "VALID"
) -> None:  # fmt: skip
    propagate = tf.space_to_batch_nd(_picture(), [2, 2], pads)
    if depthwise:
        created = tf.nn.depthwise_conv2d(
            propagate, prepared.noise(size, size, 3, 2), [1] * 4, padding
        )
    else:
        created = tf.nn.conv2d(propagate, prepared.noise(size, size, 3, 4), 1, padding)
    tf.raw_ops.BatchToSpaceND(input=created, block_shape=np.array([2, 2]), crops=crops, name="y")


_SAME, _NONE = [[2, 2], [2, 2]], [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("draw", "padding"),
    [
        (lambda: _atrous(_SAME, _NONE), b"SAME"),
        (lambda: _atrous(_SAME, _NONE, depthwise=True), b"SAME"),
        (lambda: _atrous([[2, 4], [2, 4]], [[0, 2], [0, 2]]), b"SAME"),
        (lambda: _atrous(_NONE, _NONE), b"VALID"),
        (lambda: _atrous(_NONE, _NONE, 2), b"VALID"),
        (lambda: _atrous(_NONE, _NONE, padding="SAME"), b"SAME"),
    ],
)
def test_dilation(draw: Callable[[], None], padding: bytes, evaluator: Evaluator) -> None:
    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants flatten_atrous_conv", evaluator)
    assert {"SpaceToBatchND", "BatchToSpaceND"}.isdisjoint(prepared.ops(after))
    assert prepared.ops(after)["Const"] == 1
    (conv,) = (n for n in after.nodes if n.name == "y")
    assert conv.attr["padding"].s == padding
    assert prepared.difference(before, after, {"x": _X}) < 1e-5


@pytest.mark.parametrize(
    "draw",
    [
        lambda: _atrous([[1, 1], [1, 1]], _NONE),
        lambda: _atrous([[2, 2], [2, 2]], [[0, 1], [0, 0]]),
        lambda: _atrous(_NONE, _NONE, 2, padding="SAME"),
    ],
)
def test_other_padding_stays(draw: Callable[[], None], evaluator: Evaluator) -> None:
    before = prepared.drawn(draw)
    folded = prepared.transformed(before, "fold_constants", evaluator)
    assert prepared.transformed(folded, "flatten_atrous_conv", evaluator).nodes == folded.nodes
