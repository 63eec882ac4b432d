"""Tests of convert_layout: ops that are converted to channels last."""

import prepared
import pytest
import tensorflow as tf
from layouts import TO_LAST, TO_SECOND, Draw, Layout, converted, drawn
from prepared import tf1

from tfcarve.prepare.evaluate.evaluator import Evaluator


def _depthwise(at: Layout, x: tf.Tensor) -> tf.Tensor:
    strides = at.dims(1, 1, 2, 2)
    return tf.nn.depthwise_conv2d(
        x, prepared.noise(3, 3, 4, 2), strides, "SAME", data_format=at.format
    )


def _transposed_conv(at: Layout, x: tf.Tensor) -> tf.Tensor:
    strides, shape = at.dims(1, 1, 2, 2), at.dims(2, 3, 16, 16)
    weights = prepared.noise(3, 3, 3, 4)
    return tf.nn.conv2d_transpose(x, weights, shape, strides, "SAME", data_format=at.format)


def _transposed_conv_of_any_batch(at: Layout, x: tf.Tensor) -> tf.Tensor:
    strides, shape = at.dims(1, 1, 2, 2), tf.stack(at.dims(tf.shape(x)[0], 3, 16, 16))
    weights = prepared.noise(3, 3, 3, 4)
    return tf.nn.conv2d_transpose(x, weights, shape, strides, "SAME", data_format=at.format)


def _explicit(at: Layout, x: tf.Tensor) -> tf.Tensor:
    return at.conv(x, 5, 2, at.dims([0, 0], [0, 0], [1, 2], [3, 0]))


def _pools(at: Layout, x: tf.Tensor) -> tf.Tensor:
    size, strides = at.dims(1, 1, 3, 2), at.dims(1, 1, 2, 1)
    x = tf.nn.max_pool2d(x, size, strides, "SAME", at.format)
    x = tf.nn.avg_pool2d(x, size, strides, "VALID", at.format)
    return tf.raw_ops.MaxPoolV2(
        input=x, ksize=at.dims(1, 1, 2, 2), strides=at.dims(1, 1, 1, 1), padding="SAME", data_format=at.format
    )  # fmt: skip


def _arithmetic(at: Layout, x: tf.Tensor) -> tf.Tensor:
    y = at.conv((x - at.constant(4, 1, 1)) * 0.5)
    y = y * at.constant(4, 1, 1) + at.constant(1, 4, 8, 8)
    y = tf.maximum(y, at.constant(8)) - tf.nn.relu(-y)
    return tf.add_n([y, x, tf.where(y > 0.1, y, x)])


def _layout_agnostic(at: Layout, x: tf.Tensor) -> tf.Tensor:
    y = tf.pad(at.conv(x), at.dims([0, 0], [1, 0], [1, 2], [0, 3]))
    y = tf.pad(y, at.dims([0, 0], [0, 0], [1, 1], [0, 2]), "REFLECT")
    y = tf.concat([y, y * 2.0], at.channel)
    first, second = tf.split(y, 2, at.channel - 4)
    third = tf.split(y, [3, 7], at.channel)[1]
    y = tf.concat([first, second, third], at.channel)
    y = tf.slice(y, at.dims(0, 1, 2, 0), at.dims(2, 4, 5, 6))
    y = tf.tile(tf.reverse(y, [at.channel]), at.dims(1, 2, 1, 1))
    return y[:, 1:, :-1] if at.last is False else y[:, :-1, :, 1:]


def _flat(at: Layout, x: tf.Tensor) -> tf.Tensor:
    y = tf.nn.avg_pool2d(at.conv(x), at.dims(1, 1, 8, 8), at.dims(1, 1, 1, 1), "VALID", at.format)
    return tf.reshape(y, [-1, 4]) + tf.squeeze(y, at.spatial)


def _labels(at: Layout, x: tf.Tensor) -> tf.Tensor:
    return tf.cast(tf.argmax(at.conv(x, 3), at.channel), tf.float32)


@pytest.mark.parametrize(
    ("draw", "transposes"),
    [
        pytest.param(lambda at, x: at.conv(x, 5, 2), 2, id="conv"),
        pytest.param(_explicit, 2, id="explicit"),
        pytest.param(_depthwise, 2, id="depthwise"),
        pytest.param(_transposed_conv, 2, id="transposed_conv"),
        pytest.param(_transposed_conv_of_any_batch, 2, id="any_batch"),
        pytest.param(_pools, 2, id="pools"),
        pytest.param(lambda at, x: at.norm(x, ""), 2, id="norm"),
        pytest.param(lambda at, x: at.norm(x, "V2"), 2, id="norm_v2"),
        pytest.param(lambda at, x: at.norm(x, "V3"), 2, id="norm_v3"),
        pytest.param(Layout.bias, 2, id="bias"),
        pytest.param(_arithmetic, 2, id="arithmetic"),
        pytest.param(_layout_agnostic, 2, id="moving"),
        pytest.param(Layout.means, 1, id="means"),
        pytest.param(_flat, 1, id="flat"),
        pytest.param(_labels, 1, id="labels"),
    ],
)
def test_transposes_only_at_inputs_and_outputs(
    draw: Draw, transposes: int, evaluator: Evaluator
) -> None:
    after = converted(draw, evaluator)
    assert prepared.ops(after)["Transpose"] == transposes


def test_constants_are_transposed_once(evaluator: Evaluator) -> None:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        held = tf.constant(at.constant(1, 4, 8, 8))
        return at.conv(at.conv(x) + held) * held

    before = drawn(draw, False)
    after = converted(draw, evaluator)
    assert prepared.ops(after)["Const"] == prepared.ops(before)["Const"] + 2  # of the Transposes
    shapes = [
        [dim.size for dim in node.attr["value"].tensor.tensor_shape.dim]
        for node in after.nodes
        if node.op == "Const"
    ]
    assert shapes.count([1, 8, 8, 4]) == 1
    assert [1, 4, 8, 8] not in shapes


def test_inverse_transposes_cancel(evaluator: Evaluator) -> None:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        y = at.conv(x)
        last = y if at.last else tf.transpose(y, TO_LAST)
        larger = tf.raw_ops.ResizeBilinear(images=last, size=[16, 16])
        return at.conv(larger if at.last else tf.transpose(larger, TO_SECOND))

    def of_last() -> None:
        x = tf1.placeholder(tf.float32, (2, 8, 8, 4), name="x")
        tf.transpose(Layout(False).conv(tf.transpose(x, TO_SECOND)), TO_LAST, name="y")

    after = converted(draw, evaluator)
    assert prepared.ops(after)["Transpose"] == 2
    assert prepared.ops(drawn(draw, False))["Transpose"] == 2
    without = prepared.transformed(prepared.drawn(of_last), "convert_layout", evaluator)
    assert "Transpose" not in prepared.ops(without)


def test_two_transposes_become_one(evaluator: Evaluator) -> None:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        y = at.conv(x)
        turned = tf.transpose(y, (2, 0, 1, 3) if at.last else (3, 0, 2, 1))
        return tf.reshape(turned, (8, -1))

    after = converted(draw, evaluator)
    assert prepared.ops(after)["Transpose"] == 2


def test_many_consecutive_transposes(evaluator: Evaluator) -> None:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        y = at.conv(x)
        y = tf.transpose(y, TO_SECOND) if at.last else y
        for _ in range(301):
            y = tf.transpose(y, (2, 0, 3, 1))
        return tf.reshape(y, (8, -1))

    after = converted(draw, evaluator)
    assert prepared.ops(after)["Transpose"] == 2


def test_layout_dependent_ops_read_the_original_layout(evaluator: Evaluator) -> None:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        y = at.conv(x)
        y = tf.transpose(y, TO_SECOND) if at.last else y
        size = tf.shape(y)
        return tf.reshape(tf.nn.softmax(y), [size[0], size[1] * size[2] * size[3]])

    after = converted(draw, evaluator, None)
    assert prepared.ops(after)["Transpose"] == 2
    assert prepared.ops(after)["Softmax"] == 1


def test_shape_of_a_converted_tensor(evaluator: Evaluator) -> None:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        y = at.conv(x, 5, 2)
        return tf.cast(
            tf.gather(tf.shape(y), [0, 3, 1, 2] if at.last else [0, 1, 2, 3]), tf.float32
        )

    after = converted(draw, evaluator, None)
    assert prepared.ops(after)["Transpose"] == 1


def test_depth_to_space_and_space_to_depth(evaluator: Evaluator) -> None:
    def draw(at: Layout, x: tf.Tensor) -> tf.Tensor:
        y = tf.nn.space_to_depth(at.conv(x), 2, at.format)
        return tf.nn.depth_to_space(y + at.constant(16, 1, 1), 4, at.format)

    assert prepared.ops(converted(draw, evaluator))["Transpose"] == 2
