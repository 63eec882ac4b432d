"""Tests of multiply_by_reciprocals, and of reading attributes."""

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.messages import NodeDef


def _divided(divisor: object, dtype: tf.DType = tf.float32) -> tf.Tensor:
    x = tf1.placeholder(dtype, (2, 3), name="x")
    return tf.raw_ops.RealDiv(x=x, y=tf.constant(divisor, dtype), name="y")


@pytest.mark.parametrize("divisor", [3.0, [1.0, -7.0, 1e30]])
def test_a_constant(divisor: object, evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _divided(divisor))
    after = prepared.transformed(before, "multiply_by_reciprocals", evaluator)
    assert "RealDiv" not in prepared.ops(after)
    assert prepared.difference(before, after, {"x": prepared.noise(2, 3)}) < 1e-6


@pytest.mark.parametrize(
    ("divisor", "dtype"),
    [(0.0, tf.float32), (np.inf, tf.float32), (3e38, tf.float32), (3.0, tf.float64)],
)
def test_divisors_without_normal_reciprocal(
    divisor: float, dtype: tf.DType, evaluator: Evaluator
) -> None:
    before = prepared.drawn(lambda: _divided(np.array(divisor, dtype.as_numpy_dtype), dtype))
    after = prepared.transformed(before, "multiply_by_reciprocals", evaluator)
    assert prepared.ops(after) == prepared.ops(before)


@pytest.mark.parametrize("divisor", [np.array(3), np.array(b"3", object), np.array(True)])
def test_divisors_of_another_type(divisor: Array, evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: _divided(3.0))
    (constant,) = (node for node in before.nodes if node.op == "Const")
    constant.CopyFrom(nodes.constant(constant.name, divisor, ()))
    with pytest.raises(
        InvalidInput,
        match=r"rejects this model: node 'y': its input 'Const' is of type .* takes float32",
    ):
        prepared.transformed(before, "multiply_by_reciprocals", evaluator)


def test_reading_an_attribute_does_not_add_it() -> None:
    node = NodeDef(name="a", op="AddV2")
    with pytest.raises(InvalidInput, match="node 'a': this Const has no value"):
        nodes.shape(node)
    assert "value" not in node.attr
