"""Tests of remove_nodes and remove_training_nodes."""

import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator

_X = prepared.noise(2, 3)


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [None, 3], name="x")
    parts = tf.split(x, 3, axis=1)
    last = tf.identity(tf.identity(parts[2], name="i"), name="j")
    with tf1.control_dependencies([last]):
        waiting = tf.identity(x, name="waiting")
    checked = tf1.check_numerics(tf.stop_gradient(waiting), "bad")
    tf.identity(tf.add(last, checked, name="sum"), name="y")


def test_nodes_are_removed_and_outputs_stay(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(before, "remove_nodes(op=Identity)", evaluator)
    assert prepared.inputs_of(after, "sum")[0] == "split:2"
    assert prepared.ops(before)["Identity"] == 4
    # `waiting` has a control input; `y` is the output.
    assert prepared.ops(after)["Identity"] == 2
    assert prepared.inputs_of(after, "waiting") == ["x", "^split"]
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_several_ops_and_inputs(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(
        before, "remove_nodes(op=CheckNumerics, op=StopGradient, op=Add, max_inputs=2)", evaluator
    )
    assert {"CheckNumerics", "StopGradient"}.isdisjoint(prepared.ops(after))
    assert prepared.ops(before)["AddV2"] == prepared.ops(after)["AddV2"] == 1
    gone = prepared.transformed(before, "remove_nodes(op=AddV2, max_inputs=2)", evaluator)
    assert prepared.inputs_of(gone, "y") == ["j"]
    kept = prepared.transformed(before, "remove_nodes(op=AddV2)", evaluator)
    assert prepared.inputs_of(kept, "y") == ["sum"]


def test_an_op_must_be_named(evaluator: Evaluator) -> None:
    with pytest.raises(
        InvalidInput, match=r"^remove_nodes: the parameter 'op' is required: remove_nodes\(op=Id"
    ):
        prepared.transformed(prepared.drawn(_draw), "remove_nodes", evaluator)
    with pytest.raises(InvalidInput, match=r"max_inputs='a': expected an integer"):
        prepared.transformed(
            prepared.drawn(_draw), "remove_nodes(op=Identity, max_inputs=a)", evaluator
        )


def _condition() -> None:
    tf1.disable_control_flow_v2()
    try:
        x = tf1.placeholder(tf.float32, [], name="x")
        p = tf1.placeholder(tf.bool, [], name="p")
        created = tf1.cond(p, lambda: tf.constant(1.0), lambda: x * 2.0)
        tf.identity(created, name="y")
    finally:
        tf1.enable_control_flow_v2()


@pytest.mark.parametrize("branch", [True, False])
@pytest.mark.parametrize(
    "transforms",
    [
        "remove_nodes(op=Identity)",
        "fold_constants",
        "remove_training_nodes fold_constants remove_nodes(op=Identity)",
    ],
)
def test_control_inputs_in_a_branch_stay(
    branch: bool, transforms: str, evaluator: Evaluator
) -> None:
    before = prepared.drawn(_condition)
    assert "Switch" in prepared.ops(before)
    after = prepared.transformed(before, transforms, evaluator, inputs=["x", "p"])
    for x in (prepared.noise(1)[0], prepared.noise(2)[1]):
        feeds = {"x": x, "p": prepared.np.array(branch)}
        assert prepared.difference(before, after, feeds) == 0


def _checked(guard: bool) -> None:
    x = tf1.placeholder(tf.float32, [None, 3], name="x")
    positive = tf.reduce_all(x > -2.0)
    created = tf1.Assert if guard else tf.raw_ops.Assert
    check = created(condition=positive, data=[x])
    with tf1.control_dependencies([tf.group(check, name="checks")]):
        doubled = tf.identity(x * 2.0)
    tf.identity(tf.stop_gradient(tf1.check_numerics(doubled, "bad")), name="y")


@pytest.mark.parametrize(
    ("guard", "lowered", "op"),
    [(False, False, "Assert"), (True, False, "If"), (True, True, "Merge")],
)
def test_training_nodes_are_removed(
    guard: bool, lowered: bool, op: str, evaluator: Evaluator
) -> None:
    if lowered:
        tf1.disable_control_flow_v2()
    try:
        before = prepared.drawn(lambda: _checked(guard))
    finally:
        tf1.enable_control_flow_v2()
    assert {op, "NoOp", "CheckNumerics"} < prepared.ops(before).keys()
    after = prepared.transformed(before, "remove_training_nodes strip_unused_nodes", evaluator)
    assert prepared.ops(after).keys() == {"Placeholder", "Mul", "Const", "Identity"}
    assert not after.library.function
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_a_condition_with_other_readers_stays(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [], name="x")

        def checked() -> tf.Tensor:
            with tf1.control_dependencies([tf.raw_ops.Assert(condition=x > 0.0, data=[x])]):
                return tf.identity(x > 1.0)

        tf.identity(tf1.cond(x > 0.0, checked, lambda: x > 2.0), name="read")
        tf.cast(tf1.get_default_graph().get_tensor_by_name("read:0"), tf.float32, name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "remove_training_nodes strip_unused_nodes", evaluator)
    assert "If" in prepared.ops(after)
    for x in (-1.0, 0.5, 3.0):
        assert prepared.difference(before, after, {"x": prepared.np.float32(x)}) == 0
