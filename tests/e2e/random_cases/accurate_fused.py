"""Random fused ops and normalizations, up to reductions of a million elements.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from e2e.graphs import override_graphs
from e2e.random_cases import accurate_layers, accurate_op
from e2e.random_cases.accurate_op import AccurateOp, Exact, operand

_flag = st.booleans()
_ALPHA, _EPSILON = 0.25, 0.01
_ACTIVATIONS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "": lambda x: x,
        "Relu": tf.nn.relu,
        "Relu6": tf.nn.relu6,
        "Elu": tf.nn.elu,
        "LeakyRelu": lambda x: tf.nn.leaky_relu(x, _ALPHA),
    }
)


def _activated(exact: Exact, activation: str) -> Exact:
    return Exact(_ACTIVATIONS[activation](exact.value), exact.size + 1, exact.peak, exact.least)


def _finished(exact: Exact, added: Any) -> Exact:
    return Exact(exact.value + added, exact.size + tf.abs(added), least=exact.least)


def _scaled(exact: Exact, scale: Any, offset: Any, mean: Any, variance: Any) -> Exact:
    factor = scale / tf.sqrt(variance + _EPSILON)
    size = (exact.size + tf.abs(mean)) * tf.abs(factor) + tf.abs(offset)
    value = (exact.value - mean) * factor + offset
    peak = tf.maximum(size, exact.size + tf.abs(mean))
    return Exact(value, size, peak, exact.least)


@st.composite
def _fused(draw: st.DrawFn) -> AccurateOp:
    activation = draw(st.sampled_from(tuple(_ACTIVATIONS)))
    names = [activation] if activation else []
    if draw(_flag):
        depth = draw(st.sampled_from(accurate_layers.DEPTHS))
        m, n = (
            min(draw(st.sampled_from(accurate_layers.FEW)), max(1, accurate_layers.MOST // depth))
            for _ in "mn"
        )

        def parts(flat: Any) -> list[Any]:
            return [operand(flat, [m, depth], 0), operand(flat, [depth, n], 1)]

        def outputs(flat: Any) -> Sequence[Any]:
            fill = [*parts(flat), operand(flat, [n], 2)]
            return [override_graphs.fused_op("_FusedMatMul", fill, ["BiasAdd", *names], {})]

        def exact(flat: Any) -> Sequence[Exact]:
            product = accurate_layers.sums(tf.linalg.matmul, *parts(flat), depth)
            return [_activated(_finished(product, operand(flat, [n], 2)), activation)]

        numbers = (
            draw(accurate_op.numbers()),
            draw(accurate_op.weights),
            draw(accurate_op.numbers()),
        )
        return AccurateOp(f"fused matmul {m}x{n}x{depth} {activation}", numbers, outputs, exact)
    return draw(_fused_convolution(activation, names))


@st.composite
def _fused_convolution(draw: st.DrawFn, activation: str, names: list[str]) -> AccurateOp:
    (window, columns, shape), normalizes = draw(accurate_layers.filters()), draw(_flag)
    terms = int(np.prod(shape[:3]))
    listed = tf.compat.v1.AttrValue.ListValue
    attributes = {
        "strides": tf.compat.v1.AttrValue(list=listed(i=[1, window.stride, window.stride, 1])),
        "padding": tf.compat.v1.AttrValue(s=window.padding.encode()),
    }

    def others(flat: Any) -> list[Any]:
        if not normalizes:
            return [operand(flat, [columns], 2)]
        return [operand(flat, [columns], part) for part in (1, 2, 3, 4)]

    def outputs(flat: Any) -> Sequence[Any]:
        fill = [operand(flat, window.image, 0), operand(flat, shape, 1), *others(flat)]
        first = "FusedBatchNorm" if normalizes else "BiasAdd"
        return [override_graphs.fused_op("_FusedConv2D", fill, [first, *names], attributes)]

    def exact(flat: Any) -> Sequence[Exact]:
        def convolution(x: Any, y: Any) -> Any:
            return tf.nn.conv2d(x, y, window.stride, window.padding)

        product = accurate_layers.sums(
            convolution, operand(flat, window.image, 0), operand(flat, shape, 1), terms
        )
        made = _scaled(product, *others(flat)) if normalizes else _finished(product, *others(flat))
        return [_activated(made, activation)]

    others_drawn = st.tuples(*[accurate_op.weights] * 2, accurate_op.variances)
    numbers = [
        draw(accurate_op.numbers()),
        draw(accurate_layers.weights_of(window)),
        *draw(others_drawn),
    ]
    text = f"fused conv2d {window} {shape} normalizes {normalizes} {activation}"
    return AccurateOp(text, numbers, outputs, exact)


def _normalized(x: Any, of_channels: Sequence[Any], layout: str, training: bool) -> Sequence[Any]:
    """Returns the outputs; `of_channels` are scale, offset, mean and variance."""
    scale, offset, mean, variance = of_channels
    made = tf.raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=mean[:0] if training else mean,
        variance=variance[:0] if training else variance,
        epsilon=_EPSILON,
        data_format=layout,
        is_training=training,
    )
    return [made.y, made.batch_mean, made.batch_variance]


@st.composite
def _normalization(draw: st.DrawFn) -> AccurateOp:
    training = draw(_flag)
    height, channels = draw(st.sampled_from((1, 7, 300, 1000))), draw(st.sampled_from((1, 3, 17)))
    width = draw(st.sampled_from((1, 9, 1000)))
    shape = [2, height, width, min(channels, max(1, 2_000_000 // (2 * height * width)))]
    channels = shape[3]
    layout = draw(st.sampled_from(("NHWC", "NCHW")))
    fed = shape if layout == "NHWC" else [shape[0], channels, height, width]

    def others(flat: Any) -> list[Any]:
        return [operand(flat, [channels], part) for part in (1, 2, 3, 4)]

    def outputs(flat: Any) -> Sequence[Any]:
        return _normalized(operand(flat, fed, 0), others(flat), layout, training)

    def exact(flat: Any) -> Sequence[Exact]:
        x = operand(flat, fed, 0)
        scale, offset, mean, variance = others(flat)
        axes = [0, 1, 2] if layout == "NHWC" else [0, 2, 3]
        count = float(shape[0] * height * width)
        moments = [Exact(mean, tf.abs(mean)), Exact(variance, variance)]
        if training:
            mean = tf.reduce_mean(x, axes)
            center = mean if layout == "NHWC" else tf.reshape(mean, [-1, 1, 1])
            square = tf.reduce_mean((x - center) ** 2, axes)
            variance, sample = square, square * count / max(count - 1, 1.0)
            largest = tf.reduce_max(tf.abs(x)) * count
            sizes = tf.reduce_mean(tf.abs(x), axes)
            moments = [
                Exact(mean, sizes, largest + 0 * mean),
                Exact(sample, sample, largest**2 + 0 * mean, least=count * accurate_op.TINY),
            ]
        if layout == "NCHW":
            scale, offset, mean, variance = (
                tf.reshape(each, [-1, 1, 1]) for each in (scale, offset, mean, variance)
            )
        return [_scaled(Exact(x, tf.abs(x)), scale, offset, mean, variance), *moments]

    # Whether a number is the mean, so that its product with infinity is NaN, depends on the rounding of the mean.
    scales = accurate_op.ordinary_weights if training else accurate_op.weights
    of_channels = st.tuples(scales, *[accurate_op.weights] * 2, accurate_op.variances)
    numbers = [draw(accurate_op.numbers()), *draw(of_channels)]
    text = f"batch norm {fed} {layout}, training {training}"
    return AccurateOp(text, numbers, outputs, exact)


KINDS: Mapping[str, st.SearchStrategy[AccurateOp]] = MappingProxyType(
    {
        "fused": _fused(),
        "normalizations": _normalization(),
    }
)


def outputs(flat: Any) -> Iterator[Any]:
    """Yields outputs of a normalization, made from the flat input."""
    image = operand(flat, [1, 2, 2, 3], 0)
    yield from _normalized(
        image, [operand(flat, [3], part) for part in (1, 2, 3, 4)], "NHWC", False
    )
