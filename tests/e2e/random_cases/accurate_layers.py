"""Random products, convolutions and poolings, up to reductions of a million elements.

Import tfcarve.full_tensorflow's SETTINGS into the environment first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import strategies as st

from e2e.random_cases import accurate_op
from e2e.random_cases.accurate_op import AccurateOp, Exact, operand

_flag = st.booleans()
DEPTHS = (1, 7, 30, 128, 300, 768, 1024, 2048, 9000, 100_000, 1_000_000)
FEW = (1, 2, 3, 8, 17, 33, 40)
# The most elements of an operand.
MOST = 6_000_000


def sums(op: Callable[[Any, Any], Any], x: Any, y: Any, terms: int) -> Exact:
    """Returns an op that sums products."""
    size = op(tf.abs(x), tf.abs(y))
    return Exact(op(x, y), size, least=terms * accurate_op.TINY)


@st.composite
def _product(draw: st.DrawFn) -> AccurateOp:
    depth = draw(st.sampled_from(DEPTHS))
    m, n = (min(draw(st.sampled_from(FEW)), max(1, MOST // depth)) for _ in "mn")
    batch = draw(st.sampled_from(((), (), (2,))))
    a, b = draw(_flag), draw(_flag)
    left, right = [depth, m] if a else [m, depth], [n, depth] if b else [depth, n]

    def sides(flat: Any) -> tuple[Any, Any]:
        return operand(flat, [*batch, *left], 0), operand(flat, [*batch, *right], 1)

    def product(x: Any, y: Any) -> Any:
        return tf.linalg.matmul(x, y, transpose_a=a, transpose_b=b)

    text = f"matmul {batch} {m}x{n}x{depth}, transposed {a} {b}"
    numbers = (draw(accurate_op.numbers()), draw(accurate_op.weights))
    return AccurateOp(
        text,
        numbers,
        lambda flat: [product(*sides(flat))],
        lambda flat: [sums(product, *sides(flat), depth)],
    )


@dataclass(frozen=True)
class Window:
    """The image, the filter or window, and how it moves."""

    image: tuple[int, ...]
    window: tuple[int, int]
    stride: int
    padding: str

    @property
    def taps(self) -> int:
        return self.window[0] * self.window[1]


@st.composite
def _windows(draw: st.DrawFn) -> Window:
    """Draws a small window or one of up to a million pixels."""
    channels = draw(st.sampled_from((1, 3, 8, 17, 40)))
    if draw(st.integers(0, 4)) == 0:
        height = draw(st.sampled_from((9, 100, 1000)))
        channels = min(channels, max(1, MOST // (height * 1000)))
        return Window((1, height, 1000, channels), (height, 1000), 1, "VALID")
    size = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    image = tuple(draw(st.integers(5, 20)) for _ in "hw")
    padding = draw(st.sampled_from(("SAME", "VALID")))
    return Window((2, *image, channels), size, draw(st.integers(1, 3)), padding)


@st.composite
def filters(draw: st.DrawFn) -> tuple[Window, int, list[int]]:
    """Draws an image, the number of outputs, and the shape of the filter; some have a million channels."""
    window, outputs = draw(_windows()), draw(st.sampled_from(FEW))
    if draw(st.integers(0, 4)) == 0:
        window = Window((1, 2, 2, draw(st.sampled_from(DEPTHS))), (1, 1), 1, "VALID")
    terms = window.taps * window.image[3]
    outputs = min(outputs, max(1, MOST // terms))
    return window, outputs, [*window.window, window.image[3], outputs]


def weights_of(window: Window) -> st.SearchStrategy[accurate_op.Numbers]:
    """The weights of a convolution.

    With padding they have no infinity: whether TensorFlow multiplies them by the zeros around an image, which makes NaN of it,
    depends on the algorithm that it chooses.
    """
    if window.padding == "VALID":
        return accurate_op.weights
    return accurate_op.ordinary_weights


@st.composite
def _convolution(draw: st.DrawFn) -> AccurateOp:
    window, _, shape = draw(filters())

    def sides(flat: Any) -> tuple[Any, Any]:
        return operand(flat, window.image, 0), operand(flat, shape, 1)

    def convolution(x: Any, y: Any) -> Any:
        return tf.nn.conv2d(x, y, window.stride, window.padding)

    numbers = (draw(accurate_op.numbers()), draw(weights_of(window)))
    terms = int(np.prod(shape[:3]))
    return AccurateOp(
        f"conv2d {window} {shape}",
        numbers,
        lambda flat: [convolution(*sides(flat))],
        lambda flat: [sums(convolution, *sides(flat), terms)],
    )


@st.composite
def _depthwise(draw: st.DrawFn) -> AccurateOp:
    window, times = draw(_windows()), draw(st.sampled_from((1, 1, 2)))
    shape = [*window.window, window.image[3], times]
    steps = [1, window.stride, window.stride, 1]

    def sides(flat: Any) -> tuple[Any, Any]:
        return operand(flat, window.image, 0), operand(flat, shape, 1)

    def convolution(x: Any, y: Any) -> Any:
        return tf.nn.depthwise_conv2d(x, y, steps, window.padding)

    numbers = (draw(accurate_op.numbers()), draw(weights_of(window)))
    return AccurateOp(
        f"depthwise {window} {shape}",
        numbers,
        lambda flat: [convolution(*sides(flat))],
        lambda flat: [sums(convolution, *sides(flat), window.taps)],
    )


@st.composite
def _pooling(draw: st.DrawFn) -> AccurateOp:
    window, is_mean = draw(_windows()), draw(_flag)
    sizes = (window.window, window.stride, window.padding)

    def image(flat: Any) -> Any:
        return operand(flat, window.image, 0)

    def exact(flat: Any) -> Sequence[Exact]:
        x = image(flat)
        if not is_mean:
            largest = tf.nn.max_pool2d(x, *sizes)
            return [Exact(largest, tf.abs(largest))]
        sizes_of_sums = tf.nn.avg_pool2d(tf.abs(x), *sizes)
        peak = sizes_of_sums * window.taps
        return [Exact(tf.nn.avg_pool2d(x, *sizes), sizes_of_sums, peak)]

    def outputs(flat: Any) -> Sequence[Any]:
        pool = tf.nn.avg_pool2d if is_mean else tf.nn.max_pool2d
        return [pool(image(flat), *sizes)]

    name = "mean" if is_mean else "largest"
    return AccurateOp(f"{name} of {window}", [draw(accurate_op.numbers())], outputs, exact)


KINDS: Mapping[str, st.SearchStrategy[AccurateOp]] = MappingProxyType(
    {
        "products": _product(),
        "convolutions": _convolution(),
        "depthwise": _depthwise(),
        "pooling": _pooling(),
    }
)


def outputs(flat: Any) -> Iterator[Any]:
    """Yields outputs of all kernels that KINDS draw, made from the flat input."""
    for batch in ((), (2,)):
        matrix = operand(flat, [*batch, 2, 2], 0)
        yield tf.linalg.matmul(matrix, matrix)
    image = operand(flat, [1, 2, 2, 3], 0)
    yield tf.nn.conv2d(image, operand(flat, [1, 1, 3, 2], 1), 1, "SAME")
    yield tf.nn.depthwise_conv2d(image, operand(flat, [1, 1, 3, 2], 1), [1] * 4, "SAME")
    yield tf.nn.max_pool2d(image, 2, 1, "SAME")
    yield tf.nn.avg_pool2d(image, 2, 1, "SAME")
