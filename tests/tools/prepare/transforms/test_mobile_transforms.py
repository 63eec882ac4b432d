"""Tests of simplify_control_dependencies, remove_neutral_ops, compact_constants and remove_training_nodes."""

from collections.abc import Callable

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph, by_name, control_inputs

_X = prepared.noise(2, 3)


def _picture(shape: tuple[int | None, ...] = (2, 3)) -> tf.Tensor:
    return tf1.placeholder(tf.float32, shape, name="x")


def _lowered(draw: Callable[[], object]) -> Graph:
    tf1.disable_control_flow_v2()
    try:
        return prepared.drawn(draw)
    finally:
        tf1.enable_control_flow_v2()


def _control_inputs(graph: Graph) -> int:
    return sum(len(control_inputs(node)) for node in graph.nodes)


def test_redundant_control_inputs_are_removed(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = _picture()
        first = tf.tanh(x, name="first")
        with tf1.control_dependencies([first, tf.group(tf.exp(x), name="relay")]):
            tf.add(x, tf.constant(1.0), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "simplify_control_dependencies", evaluator)
    assert _control_inputs(before) > 2
    assert _control_inputs(after) == 0
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_control_inputs_from_side_effects_stay(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = _picture()
        with tf1.control_dependencies([tf1.Print(x, [x]), tf.sin(x)]):
            after = tf.cos(x, name="after")
        with tf1.control_dependencies([after]):
            tf.exp(x, name="y")

    after = prepared.transformed(prepared.drawn(draw), "simplify_control_dependencies", evaluator)
    assert control_inputs(by_name(after)["after"]) == ["Print"]
    assert control_inputs(by_name(after)["y"]) == ["after"]


def _branches() -> None:
    x = _picture(())

    def taken() -> tf.Tensor:
        return tf.constant(2.0) * (x + tf.constant(1.0))

    tf.identity(tf1.cond(x > 0.0, taken, lambda: tf.constant(3.0)), name="y")


def _loop() -> None:
    def body(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        added = tf1.cond(v > 2.0, lambda: v * 0.5, lambda: tf.constant(1.5))
        with tf1.control_dependencies([tf.sin(v)]):
            return i + tf.constant(1), v + added

    x = _picture(())
    tf.identity(tf1.while_loop(lambda i, v: i < 5, body, [tf.constant(0), x])[1], name="y")


def _loops() -> None:
    def inner(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        _, created = tf1.while_loop(
            lambda j, w: j < i, lambda j, w: (j + 1, w * tf.constant(1.25)), [tf.constant(0), v]
        )
        return i + 1, created - tf.constant(0.25)

    x = _picture(())
    tf.identity(tf1.while_loop(lambda i, v: i < 4, inner, [tf.constant(0), x])[1], name="y")


@pytest.mark.parametrize("draw", [_branches, _loop, _loops])
@pytest.mark.parametrize(
    "transforms",
    ["simplify_control_dependencies", "simplify_control_dependencies fold_constants remove_nodes(op=Identity) merge_duplicate_nodes"],
)  # fmt: skip
def test_control_flow_stays(
    draw: Callable[[], None], transforms: str, evaluator: Evaluator
) -> None:
    before = _lowered(draw)
    after = prepared.transformed(before, transforms, evaluator)
    assert "Switch" in prepared.ops(before)
    assert 0 < _control_inputs(after) <= _control_inputs(before)
    for x in (-1.0, 0.25, 3.0):
        assert prepared.difference(before, after, {"x": np.float32(x)}) == 0


def test_control_inputs_in_a_loop_are_removed(evaluator: Evaluator) -> None:
    before = _lowered(_loop)
    after = prepared.transformed(before, "simplify_control_dependencies", evaluator)
    assert _control_inputs(after) < _control_inputs(before)


@pytest.mark.parametrize("same", [True, False])
def test_control_inputs_from_a_merge(same: bool, evaluator: Evaluator) -> None:
    """A Merge always runs if it joins both branches of one predicate, but not if it joins those of two."""
    raw = tf.raw_ops

    def draw() -> None:
        x = _picture(())
        positive = tf.identity(x > 0.0)
        on = raw.Switch(data=x, pred=positive).output_true
        off = raw.Switch(data=x, pred=positive if same else x > 1.0).output_false
        merged = raw.Merge(inputs=[tf.identity(on), tf.identity(off)])
        with tf1.control_dependencies([merged.output]):
            tf.negative(x, name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "simplify_control_dependencies", evaluator)
    assert _control_inputs(after) == (0 if same else 1)
    for x in (-1.0, 3.0):
        assert prepared.difference(before, after, {"x": np.float32(x)}) == 0


def test_a_fetched_noop_stays(evaluator: Evaluator) -> None:
    def draw() -> None:
        tf.group(tf1.Print(_picture(), [_uses_the_input_again()]), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "simplify_control_dependencies", evaluator)
    assert after.nodes == before.nodes


def _uses_the_input_again() -> tf.Tensor:
    return tf1.get_default_graph().get_tensor_by_name("x:0")


_ZEROS, _ONES = np.zeros(3, np.float32), np.ones(3, np.float32)


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: x + _ZEROS,
        lambda x: tf.constant(_ZEROS) + x,
        lambda x: x - _ZEROS,
        lambda x: x * _ONES,
        lambda x: x / tf.constant(1.0),
        lambda x: tf.nn.bias_add(x, _ZEROS),
        lambda x: tf.constant(np.ones((1, 1), np.float32)) * x,
    ],
)
@pytest.mark.parametrize("batch", [2, None])
def test_neutral(
    draw: Callable[[tf.Tensor], tf.Tensor], batch: int | None, evaluator: Evaluator
) -> None:
    before = prepared.drawn(lambda: tf.identity(draw(_picture((batch, 3))), name="y"))
    after = prepared.transformed(before, "remove_neutral_ops", evaluator)
    assert prepared.inputs_of(after, "y") == ["x"]
    assert prepared.difference(before, after, {"x": _X}) == 0


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: x + np.zeros((2, 1, 3), np.float32),
        lambda x: x[:, :1] * _ONES,
        lambda x: x + _ONES,
        lambda x: x * _ZEROS,
        lambda x: _ZEROS - x,
        lambda x: _ONES / x,
        lambda x: x * np.array([1, 1, 1.0000001], np.float32),
        lambda x: x + np.zeros((2, 3), np.float32),
    ],
)
def test_not_neutral(draw: Callable[[tf.Tensor], tf.Tensor], evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: tf.identity(draw(_picture((None, 3))), name="y"))
    assert prepared.transformed(before, "remove_neutral_ops", evaluator).nodes == before.nodes


def test_fed_constants_are_not_neutral(evaluator: Evaluator) -> None:
    def draw() -> None:
        tf.identity(_picture() + tf.constant(_ZEROS, name="z"), name="y")

    before = prepared.drawn(draw)
    inputs = ["x", "z"]
    after = prepared.transformed(before, "remove_neutral_ops", evaluator, inputs=inputs)
    assert after.nodes == before.nodes


def test_a_neutral_output_stays(evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: tf.add(_picture(), _ZEROS, name="y"))
    assert prepared.transformed(before, "remove_neutral_ops", evaluator).nodes == before.nodes


def test_repeated_values_are_stored_once(evaluator: Evaluator) -> None:
    def draw() -> None:
        many = np.full((1000, 3), 0.25, np.float32)
        other = many.copy()
        other[999, 2] = 1
        tf.add(
            tf.constant(many, name="many") * _picture((1, 3)),
            tf.constant(other, name="other"),
            name="y",
        )

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "compact_constants", evaluator)
    sizes = {n.name: n.ByteSize() for n in after.nodes}
    assert sizes["many"] < 100 < 12_000 < sizes["other"]
    assert prepared.difference(before, after, {"x": prepared.noise(1, 3)}) == 0


def test_identities_with_custom_gradients_are_removed(evaluator: Evaluator) -> None:
    @tf.custom_gradient
    def swish(v: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        return v * tf.sigmoid(v), lambda g: g

    before = prepared.drawn(lambda: tf.add(swish(_picture()), 1.0, name="y"))
    assert "IdentityN" in prepared.ops(before)
    after = prepared.transformed(before, "remove_training_nodes", evaluator)
    assert "IdentityN" not in prepared.ops(after)
    assert prepared.difference(before, after, {"x": _X}) == 0


def _in_a_branch(compute: Callable[[tf.Tensor, tf.Tensor], tf.Tensor], operand: Array) -> None:
    """Draws a node that reads x, which no Switch guards, and a constant in a branch."""
    x, p = _picture((1, 4, 4, 2)), tf1.placeholder(tf.bool, [], name="p")
    low, high = map(tf.identity, tf.raw_ops.Switch(data=p, pred=p))
    with tf1.control_dependencies([high]):
        constant = tf.constant(operand)
    with tf1.control_dependencies([low]):
        other = tf.constant(prepared.noise(1, 4, 4, 2))
    tf.raw_ops.Merge(inputs=[compute(x, constant), other], name="y")


def _padded(x: tf.Tensor, pads: tf.Tensor) -> tf.Tensor:
    return tf.nn.conv2d(tf.pad(x, pads), prepared.noise(3, 3, 2, 2), 1, "VALID")


@pytest.mark.parametrize(
    ("transform", "compute", "operand", "op"),
    [
        ("remove_neutral_ops", tf.add, np.zeros(2, np.float32), "AddV2"),
        ("fold_pads", _padded, np.array([[0, 0], [1, 1], [1, 1], [0, 0]], np.int32), "Pad"),
    ],
)
def test_a_constant_that_puts_a_node_into_a_branch(
    transform: str,
    compute: Callable[[tf.Tensor, tf.Tensor], tf.Tensor],
    operand: Array,
    op: str,
    evaluator: Evaluator,
) -> None:
    before = prepared.drawn(lambda: _in_a_branch(compute, operand))
    after = prepared.transformed(before, transform, evaluator, inputs=["x", "p"])
    assert op in prepared.ops(after)
    # The control: outside of branches the node is removed.
    plain = prepared.drawn(lambda: tf.identity(compute(_picture((1, 4, 4, 2)), tf.constant(operand)), name="y"))  # fmt: skip
    assert op not in prepared.ops(prepared.transformed(plain, transform, evaluator))
