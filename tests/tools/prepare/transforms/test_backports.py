"""Tests of backport_concatv2 and backport_tensor_array_v3."""

from dataclasses import replace

import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph

_X = prepared.noise(3, 2)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_concat(dtype: tf.DType, evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [3, 2], name="x")
        axis = tf.constant(1, dtype, name="axis")
        tf.identity(tf.raw_ops.ConcatV2(values=[x, -x, x], axis=axis), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "backport_concatv2", evaluator)
    assert {"ConcatV2"} == prepared.ops(before).keys() - prepared.ops(after).keys()
    assert prepared.inputs_of(after, "ConcatV2")[1:] == ["x", "Neg", "x"]
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_axis_must_be_constant(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [3, 2], name="x")
        axis = tf1.placeholder(tf.int64, [], name="axis")
        tf.raw_ops.ConcatV2(values=[x, x], axis=axis, name="y")

    with pytest.raises(InvalidInput, match=r"node 'y': its int64 axis is not constant"):
        prepared.transformed(prepared.drawn(draw), "backport_concatv2", evaluator)


def _with_tensor_arrays(loop: bool) -> Graph:
    def draw() -> None:
        tf1.disable_control_flow_v2()
        try:
            x = tf1.placeholder(tf.float32, [3, 2], name="x")
            array = tf1.TensorArray(tf.float32, 3, clear_after_read=False).unstack(x)
            created = tf1.TensorArray(tf.float32, 3)
            if loop:
                _, created = tf1.while_loop(
                    lambda i, a: i < 3,
                    lambda i, a: (i + 1, a.write(i, array.read(i) * 2.0)),
                    [tf.constant(0), created],
                )
            else:
                created = (
                    created.write(0, array.read(2)).write(1, array.read(0)).write(2, array.read(1))
                )
            tf.identity(created.stack(), name="y")
        finally:
            tf1.enable_control_flow_v2()

    return prepared.drawn(draw)


@pytest.mark.parametrize("loop", [True, False])
def test_tensor_arrays(loop: bool, evaluator: Evaluator) -> None:
    before = _with_tensor_arrays(loop)
    after = prepared.transformed(before, "backport_tensor_array_v3", evaluator)
    assert [op for op in prepared.ops(before) if op.startswith("TensorArray") and op.endswith("V3")]
    assert not [
        op for op in prepared.ops(after) if op.startswith("TensorArray") and op.endswith("V3")
    ]
    assert prepared.ops(before).total() + 2 == prepared.ops(after).total()
    # The last graph version with TensorArrayV2.
    old = replace(after, versions=b'"\x02\x08\x19')
    assert prepared.difference(before, old, {"x": _X}) == 0
