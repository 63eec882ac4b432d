"""Conditions with a constant predicate: fold_constants replaces them with the branch that runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import prepared
import pytest
import tensorflow as tf
from conditional_graphs import CONDITIONALS, RAW, Conditional, X, control_flow, remaining
from hypothesis import given, settings
from hypothesis import strategies as st
from prepared import tf1

import extent
from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.pipeline import pipeline, presets

_TABLE = [
    *((name, each, lowered) for name, each in CONDITIONALS.items() for lowered in (True, False)),
    *((name, each, lowered) for name, (each, lowered) in RAW.items()),
]


def drawn(each: Conditional, lowered: bool) -> Graph:
    """The graph with the inputs x and `on` and the output y."""

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2, 2], name="x")
        on = tf1.placeholder(tf.bool, [], name="on")
        tf.identity(each.draw(x, on), name="y")

    with control_flow(lowered):
        return prepared.drawn(draw)


def _all_nodes(graph: Graph) -> list[Any]:
    return [*graph.nodes, *(n for f in graph.library.function for n in f.node_def)]


def _same(before: Graph, after: Graph) -> None:
    for on in (True, False):
        feeds = {"x": X, "on": np.array(on)}
        assert prepared.difference(before, after, feeds) < 1e-6


@pytest.mark.parametrize(("name", "each", "lowered"), _TABLE)
def test_constant_conditions(
    name: str, each: Conditional, lowered: bool, evaluator: Evaluator
) -> None:
    before = drawn(each, lowered)
    steps = "fold_constants strip_unused_nodes"
    after = prepared.transformed(before, steps, evaluator, inputs=("x", "on"))
    left = _all_nodes(after)
    assert not {node.op for node in left} & each.absent
    assert remaining(after.nodes) == each.left
    _same(before, after)


def _norm_in_a_branch(x: Any, _: Any) -> Any:
    """A classic model of TensorFlow 1: the batch norm is in a condition, and so is dropout."""
    training = tf1.placeholder_with_default(False, [], name="is_training")
    image = tf.reshape(x, [1, 1, 2, 2])
    y = tf.nn.conv2d(image, prepared.noise(1, 1, 2, 3), 1, "SAME")
    four = [np.full(3, value, np.float32) for value in (1.5, 0.5, 0.25, 2.0)]

    def norm(is_training: bool) -> Any:
        moments = {} if is_training else {"mean": four[2], "variance": four[3]}
        return tf1.nn.fused_batch_norm(
            y, *four[:2], **moments, is_training=is_training, epsilon=0.01
        )[0]

    y = tf1.cond(training, lambda: norm(True), lambda: norm(False))
    y = tf1.cond(training, lambda: tf.nn.dropout(y, 0.5), lambda: tf.identity(y))
    return tf.nn.relu(y)


@pytest.mark.parametrize("lowered", [True, False])
def test_a_batch_norm_in_a_branch_is_folded(lowered: bool, evaluator: Evaluator) -> None:
    before = drawn(Conditional(_norm_in_a_branch, 0), lowered)
    after = pipeline.transform(
        prepared.copy(before), presets.preset("mobile"), ("x", "on"), ("y",), evaluator
    )
    assert prepared.ops(after).keys() <= {"Placeholder", "Reshape", "Conv2D", "BiasAdd", "Relu", "Const", "Identity"}  # fmt: skip
    assert not after.library.function
    _same(before, after)


def test_a_fed_predicate_is_not_constant(evaluator: Evaluator) -> None:
    before = drawn(Conditional(_norm_in_a_branch, 2), True)
    after = pipeline.transform(
        prepared.copy(before), presets.preset("mobile"), ("x", "is_training"), ("y",), evaluator
    )
    assert "Merge" in prepared.ops(after) and "RandomUniform" in prepared.ops(after)
    for training in (True, False):
        shapes = [prepared.ran(g, {"x": X, "is_training": np.array(training)}, ["y"])[0].shape for g in (before, after)]  # fmt: skip
        assert shapes[0] == shapes[1]


@pytest.mark.parametrize("output", ["never", "switch:1", "merge:1"])
def test_an_output_in_a_branch_that_never_runs(output: str, evaluator: Evaluator) -> None:
    """The condition stays, so that TensorFlow reports the missing value as before."""

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2, 2], name="x")
        off, on = tf.raw_ops.Switch(data=x, pred=tf.constant(False), name="switch")
        never = tf.tanh(on, name="never")
        tf.raw_ops.Merge(inputs=[never, tf.identity(off)], name="merge")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants", evaluator, (output,))
    assert "Switch" in prepared.ops(after)
    if output == "merge:1":
        assert prepared.difference(before, after, {"x": X}, (output,)) == 0
    # The control.
    after = prepared.transformed(before, "fold_constants", evaluator, ("merge",))
    assert prepared.ops(after).keys() == {"Placeholder", "Identity"}


def test_a_function_that_two_nodes_call_keeps_its_arguments(evaluator: Evaluator) -> None:
    choose = tf.function(lambda v, p: tf1.cond(p, lambda: tf.tanh(v), lambda: v * 2.0))

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2, 2], name="x")
        on = tf1.placeholder(tf.bool, [], name="on")
        called = choose.get_concrete_function(x, on)
        functions = {"then_branch": called, "else_branch": called}
        ifs = [
            tf.raw_ops.If(cond=on, input=[x, tf.constant(p)], Tout=[tf.float32], **functions)[0]
            for p in (True, False)
        ]
        tf.concat(ifs, 0, name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants", evaluator, inputs=("x", "on"))
    _same(before, after)


def test_recursive_functions(evaluator: Evaluator) -> None:
    before = drawn(CONDITIONALS["compared"], False)
    condition = next(node for node in before.nodes if node.op == "StatelessIf")
    function = next(f for f in before.library.function if f.signature.name == condition.attr["then_branch"].func.name)  # fmt: skip
    again = function.node_def.add()
    again.CopyFrom(condition)
    again.name, again.input[:] = "again", [function.node_def[0].name + ":y:0", function.signature.input_arg[0].name]  # fmt: skip
    with pytest.raises(InvalidInput, match="calls itself"):
        prepared.transformed(before, "fold_constants", evaluator, inputs=("x", "on"))


@st.composite
def _trees(draw: st.DrawFn, depth: int = 3) -> Any:
    """A tree of conditions: a predicate and two trees, or the number of a leaf."""
    if not depth or draw(st.integers(0, 3)) == 0:
        return draw(st.integers(0, 3))
    predicate = draw(
        st.sampled_from(["on", "true", "false", "not on", "on and false", "not false"])
    )
    return predicate, draw(_trees(depth - 1)), draw(_trees(depth - 1))


def _of_tree(tree: Any, x: Any, predicates: Any) -> Any:
    if isinstance(tree, int):
        return (tf.tanh(x), x * 2.0, x + 1.0, tf.identity(x))[tree]
    name, then, otherwise = tree
    predicate = predicates[name.split()[-1]] if " and " not in name else tf.logical_and(predicates["on"], predicates["false"])  # fmt: skip
    if name.startswith("not "):
        predicate = tf.logical_not(predicate)
    return tf1.cond(
        predicate,
        lambda: _of_tree(then, x, predicates),
        lambda: _of_tree(otherwise, x * 0.5, predicates),
    )


def _dynamic(tree: Any) -> bool:
    """Whether the branches of a tree that run depend on the input."""
    if isinstance(tree, int):
        return False
    name, then, otherwise = tree
    if name in ("on", "not on"):
        return True
    return _dynamic(then if name in ("true", "not false") else otherwise)


@settings(max_examples=extent.of(10, 25), deadline=None, derandomize=True, database=None)
@given(tree=_trees(), lowered=st.booleans())
def test_nested_conditions(tree: Any, lowered: bool, evaluator: Evaluator) -> None:
    def compute(x: Any, on: Any) -> Any:
        constants = {name: tf.constant(name == "true") for name in ("true", "false")}
        return _of_tree(tree, x, {"on": on, **constants})

    before = drawn(Conditional(compute, 0), lowered)
    after = prepared.transformed(before, "fold_constants", evaluator, inputs=("x", "on"))
    assert bool(remaining(after.nodes)) == _dynamic(tree)
    _same(before, after)
