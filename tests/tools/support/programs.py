"""Programs of blocks, loops and conditions, drawn as graphs with TensorFlow.

All tensors between blocks are images of one shape, so every block may follow every other one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import prepared
import tensorflow as tf
from hypothesis import strategies as st
from prepared import tf1

from tfcarve.prepare.freeze import lower, lower_program
from tfcarve.prepare.graph.graph import Graph

SHAPE = (1, 4, 4, 2)
FORMS = ("frames", "lowered", "functional")


def _conv(x: tf.Tensor, padding: str = "SAME", size: int = 3) -> tf.Tensor:
    return tf.nn.conv2d(x, prepared.noise(size, size, int(x.shape[3]), 2), 1, padding)


def _normalized(x: tf.Tensor) -> tf.Tensor:
    scale = tf.constant(abs(prepared.noise(2)) + 0.5)
    return tf.nn.relu(
        tf1.nn.fused_batch_norm(_conv(x), scale, scale, scale, scale, is_training=False)[0]
    )


def _depthwise(x: tf.Tensor) -> tf.Tensor:
    y = tf.nn.depthwise_conv2d(x, prepared.noise(3, 3, 2, 1), [1, 1, 1, 1], "SAME")
    return tf.nn.relu6(y * prepared.noise(2) + prepared.noise(2))


def _biased(x: tf.Tensor) -> tf.Tensor:
    y = _conv(tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]), "VALID")
    return tf.nn.elu(tf.nn.bias_add(y, prepared.noise(2)))


def _fused_bias(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.relu(_conv(x))


def _dilated(x: tf.Tensor) -> tf.Tensor:
    y = tf.space_to_batch(x, [2, 2], [[2, 2], [2, 2]])
    return tf.batch_to_space(_conv(y, "VALID"), [2, 2], [[0, 0], [0, 0]])


def _resized(x: tf.Tensor) -> tf.Tensor:
    return _conv(tf.raw_ops.ResizeBilinear(images=x, size=[6, 6]), "VALID")


def _mirrored(x: tf.Tensor) -> tf.Tensor:
    return _conv(tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT"), "VALID")


def _resized_and_mirrored(x: tf.Tensor) -> tf.Tensor:
    return _mirrored(tf.raw_ops.ResizeBilinear(images=x, size=[4, 4]))


def _dense(x: tf.Tensor) -> tf.Tensor:
    y = tf.matmul(tf.reshape(x, [1, 32]), prepared.noise(32, 32)) + prepared.noise(32)
    return tf.reshape(tf.nn.relu(y), SHAPE)


def _channels_first(x: tf.Tensor) -> tf.Tensor:
    y = tf.transpose(x, [0, 3, 1, 2])
    y = tf.nn.conv2d(y, prepared.noise(3, 3, 2, 2), 1, "SAME", "NCHW")
    y = tf.nn.bias_add(y, prepared.noise(2), "NCHW") + tf.constant(prepared.noise(1, 2, 1, 1))
    return tf.transpose(tf.nn.relu(y), [0, 2, 3, 1])


def _called(x: tf.Tensor) -> tf.Tensor:
    return tf.function(lambda v: v * tf.constant(0.5) + tf.constant(prepared.noise(2)))(x)


def _called_for_a_constant(x: tf.Tensor) -> tf.Tensor:
    return tf.function(lambda v: tf.constant(prepared.noise(*SHAPE)))(x)


def _asserted(x: tf.Tensor) -> tf.Tensor:
    check = tf1.Assert(tf.reduce_all(tf.math.is_finite(x)), [x])
    with tf1.control_dependencies([check]):
        return tf.identity(x) * tf.constant(0.75)


def _asserted_constant(x: tf.Tensor) -> tf.Tensor:
    check = tf1.Assert(tf.reduce_all(tf.math.is_finite(x)), [x])
    with tf1.control_dependencies([check]):
        return tf.constant(prepared.noise(*SHAPE))


def _checked(x: tf.Tensor) -> tf.Tensor:
    return tf.identity(tf.stop_gradient(tf.debugging.check_numerics(x, "bad")))


def _decided(x: tf.Tensor) -> tf.Tensor:
    training = tf.identity(tf.constant(False))
    return tf1.cond(training, lambda: tf.sin(x), lambda: x * 0.5 + tf.constant(prepared.noise(2)))


def _kept(x: tf.Tensor) -> tf.Tensor:
    """A dropout that keeps all values."""
    random = tf.raw_ops.RandomUniform(shape=tf.constant(SHAPE), dtype=tf.float32)
    return tf.cos(x) * tf.cast(random >= tf.constant(0.0), tf.float32)


def _repeated(x: tf.Tensor) -> tf.Tensor:
    return tf.sin(tf.identity(x)) * 0.5 + tf.sin(tf.identity(x)) * 0.5


def _measured(x: tf.Tensor) -> tf.Tensor:
    y = tf.reshape(x, tf.shape(x)) / tf.cast(tf.size(x), tf.float32)
    return y * tf.cast(tf.rank(x), tf.float32)


def _joined(x: tf.Tensor) -> tf.Tensor:
    return _conv(tf.concat([x, x * 2.0, tf.constant(prepared.noise(*SHAPE))], 3), size=1)


def _gathered(x: tf.Tensor) -> tf.Tensor:
    ids = tf.constant(np.arange(16).reshape(1, 4, 4) % 3)
    return x + tf.gather(tf.constant([[0.0], [0.5], [0.0]]), ids)


def _trained(x: tf.Tensor) -> tf.Tensor:
    y = tf.quantization.fake_quant_with_min_max_vars(_fused_bias(x), -1.0, 2.0)
    return tf.nn.max_pool2d(y, 3, 1, "SAME")


def _stored(x: tf.Tensor) -> tf.Tensor:
    array = tf.TensorArray(tf.float32, 2, element_shape=SHAPE)
    return array.write(0, x).write(1, x * 0.5).concat()[:1]


BLOCKS: Mapping[str, Callable[[tf.Tensor], tf.Tensor]] = {
    "a batch normalization": _normalized,
    "a bias": _biased,
    "a call": _called,
    "a call for a constant": _called_for_a_constant,
    "a constant": lambda _: tf.constant(prepared.noise(*SHAPE)),
    "a constant after an Assert": _asserted_constant,
    "a constant condition": _decided,
    "a convolution": _fused_bias,
    "a dense layer": _dense,
    "a depthwise convolution": _depthwise,
    "a dilated convolution": _dilated,
    "a division": lambda x: x / 3.0,
    "a dropout": _kept,
    "a mirror": _mirrored,
    "a resize": _resized,
    "a resize and a mirror": _resized_and_mirrored,
    "a table": _gathered,
    "a tensor array": _stored,
    "a trained range": _trained,
    "an Assert": _asserted,
    "channels first": _channels_first,
    "checks": _checked,
    "equal nodes": _repeated,
    "neutral ops": lambda x: (x + 0.0) * 1.0,
    "parts": _joined,
    "sizes": _measured,
}


@dataclass(frozen=True)
class Loop:
    """A loop: `count` times `body`."""

    count: int
    body: Program


@dataclass(frozen=True)
class Condition:
    """One of two programs; the sum of their input decides which."""

    positive: Program
    other: Program


# The names of blocks, and loops and conditions, in their order.
Program = Sequence["str | Loop | Condition"]


def programs(leaves: int = 8) -> st.SearchStrategy[Program]:
    """Draws programs with at least one loop or condition."""
    blocks = st.lists(st.sampled_from(sorted(BLOCKS)), min_size=1, max_size=3)
    inner: st.SearchStrategy[Program] = st.recursive(blocks, _around, max_leaves=leaves)
    return _around(inner)


def _around(inner: st.SearchStrategy[Program]) -> st.SearchStrategy[Program]:
    loops = st.builds(Loop, st.integers(0, 3), inner)
    conditions = st.builds(Condition, inner, inner)
    block = st.sampled_from(sorted(BLOCKS))
    return st.builds(
        lambda before, step, after: [*before, step, *after],
        st.lists(block, max_size=1),
        loops | conditions,
        st.lists(block, max_size=1),
    )


def _drawn(program: Program, x: tf.Tensor) -> tf.Tensor:
    for step in program:
        if isinstance(step, Loop):
            x = _loop(step, x)
        elif isinstance(step, Condition):
            x = _condition(step, x)
        else:
            x = BLOCKS[step](x)
            x.set_shape(SHAPE)
    return x


def _loop(loop: Loop, x: tf.Tensor) -> tf.Tensor:
    def body(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        created = _drawn(loop.body, y)
        # It reads a tensor from outside, and may be a constant itself.
        return i + 1, created if loop.count == 1 else tf.tanh(created + 0.1 * x)

    return tf1.while_loop(lambda i, _: i < loop.count, body, [tf.constant(0), x])[1]


def _condition(condition: Condition, x: tf.Tensor) -> tf.Tensor:
    return tf1.cond(
        tf.reduce_sum(x) > 0.05,
        lambda: _drawn(condition.positive, x),
        lambda: _drawn(condition.other, x),
    )


@contextmanager
def _control_flow(is_new: bool) -> Iterator[None]:
    if is_new:
        yield
        return
    tf1.disable_control_flow_v2()
    try:
        yield
    finally:
        tf1.enable_control_flow_v2()


def drawn(program: Program, form: str) -> Graph:
    """Returns the graph of a program between a convolution and an addition, from "x" to "y".

    Args:
      program: the program.
      form: "frames": Enter, Switch and so on, as TensorFlow 1 wrote them; "functional": While and If; "lowered": these
        as Enter, Switch and so on.
    """

    def draw() -> None:
        x = tf1.placeholder(tf.float32, SHAPE, name="x")
        read = x + _biased(x)
        tf.tanh(_drawn(program, read) + 0.1 * read, name="y")

    with _control_flow(form != "frames"):
        graph = prepared.drawn(draw)
    if form != "lowered":
        return graph
    roots = ["x", "y"]
    optimized = lower_program.optimized(lower.marked(graph, roots))
    return lower.finished(optimized, roots, graph.versions)


def inputs() -> list[prepared.Array]:
    """Returns values of x for which conditions differ."""
    x = prepared.noise(*SHAPE)
    return [x, (x - 0.5).astype(np.float32)]
