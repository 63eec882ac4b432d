"""Tests of the first node at which two models differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from compared import Draw, saved, sides, tf1, two_layers

from tfcarve.prepare.compare import first_difference as module
from tfcarve.prepare.compare.first_difference import FirstDifference, first_difference
from tfcarve.prepare.evaluate import chunks
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref

pytestmark = pytest.mark.usefixtures("reused")

X = Ref("x")


def _found(
    folder: Path, a: Draw, b: Draw, value: Any, target: str = "y", tolerance: float = 1e-5
) -> FirstDifference:
    paths = (saved(folder, "a", a), saved(folder, "b", b))
    with sides(*paths) as (before, after):
        feeds = {X: tensors.from_array(value)}
        found = first_difference(before, after, Ref(target), feeds, tolerance)
        assert found is not None
        return found


ROW = np.array([[0.5, -1, 2]], np.float32)


@pytest.mark.parametrize(
    ("first_factor", "second_factor", "node", "constant"),
    [(1.01, 1.0, "a", "a_weights"), (1.0, 1.01, "b", "b_weights"), (1.01, 1.01, "a", "a_weights")],
)
def test_the_layer_whose_weights_differ(
    tmp_path: Path, first_factor: float, second_factor: float, node: str, constant: str
) -> None:
    found = _found(tmp_path, two_layers(), two_layers(first_factor, second_factor), ROW)
    assert (found.node, found.ops, found.constants) == (node, ("MatMul", "MatMul"), (constant,))
    assert found.difference.largest > 1e-5


def test_in_chunks_of_one_tensor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "_MAX_TENSORS", 1)
    assert _found(tmp_path, two_layers(), two_layers(1.0, 1.01), ROW).node == "b"
    monkeypatch.setattr(chunks, "_MAX_TENSORS", 64)
    monkeypatch.setattr(chunks, "_MAX_BYTES", 1)
    assert _found(tmp_path, two_layers(), two_layers(1.0, 1.01), ROW).node == "b"


def _scaled(before: float, after: float, last: float) -> Draw:
    """Draws two multiplications, the second of which may undo the first, and an output."""

    def draw() -> None:
        x = tf1.placeholder(tf.float32, [1, 3], name="x")
        up = tf.multiply(x, before, name="up")
        down = tf.multiply(up, after, name="down")
        tf.multiply(down, last, name="y")

    return draw


def test_a_difference_that_a_later_node_undoes(tmp_path: Path) -> None:
    """As when a batch normalization is folded into the weights before it."""
    assert _found(tmp_path, _scaled(2, 3, 1), _scaled(4, 1.5, 1.1), ROW).node == "y"
    assert _found(tmp_path, _scaled(2, 3, 1), _scaled(4, 3, 1.1), ROW).node == "up"


def test_tolerance(tmp_path: Path) -> None:
    a, b = _scaled(1, 1, 1), _scaled(1.001, 1, 2)
    assert _found(tmp_path, a, b, ROW, tolerance=1e-5).node == "up"
    assert _found(tmp_path, a, b, ROW, tolerance=0.1).node == "y"


def test_ops_of_both_models(tmp_path: Path) -> None:
    def draw(op: Any) -> Draw:
        return lambda: tf.identity(
            op(tf1.placeholder(tf.float32, [1, 3], name="x"), name="middle"), name="y"
        )

    found = _found(tmp_path, draw(tf.nn.relu), draw(tf.nn.relu6), ROW * 9)
    assert (found.node, found.ops, found.constants) == ("middle", ("Relu", "Relu6"), ())
    assert found.inputs == (("x",), ("x",))


def test_an_output_other_than_the_first(tmp_path: Path) -> None:
    def draw(factor: float) -> Draw:
        def created() -> None:
            x = tf1.placeholder(tf.float32, [1, 4], name="x")
            left, right = tf.split(
                x * tf.constant([1, 1, 1, factor], tf.float32), 2, 1, name="parts"
            )
            tf.identity(left, name="z")
            tf.identity(right, name="y")

        return created

    value = np.ones((1, 4), np.float32)
    assert _found(tmp_path, draw(1), draw(2), value).node == "mul"
    with sides(*(saved(tmp_path, n, draw(f)) for n, f in (("a", 1), ("b", 2)))) as (a, b):
        listed = module.candidates(a, b, Ref("y"), {X: tensors.from_array(value)})
    assert [source.text() for source in listed] == ["mul", "parts", "parts:1", "y"]


def _branches(factor: float) -> Draw:
    """Draws a conditional; nodes in the branch that is not taken have no value."""

    def draw() -> None:
        tf1.disable_control_flow_v2()
        x = tf1.placeholder(tf.float32, [1, 3], name="x")
        y = tf1.cond(
            tf.reduce_sum(x) > 0,
            lambda: tf.multiply(x, factor, name="taken"),
            lambda: tf.negative(x, name="not_taken"),
        )
        tf.identity(y, name="y")

    return draw


def test_nodes_without_a_value_are_omitted(tmp_path: Path) -> None:
    found = _found(tmp_path, _branches(2), _branches(3), ROW)
    assert (found.node, found.constants) == ("cond/taken", ("cond/taken/y",))


def _loop(factor: float) -> Draw:
    """Draws a TensorFlow 1 loop, whose nodes run several times."""

    def draw() -> None:
        tf1.disable_control_flow_v2()
        x = tf1.placeholder(tf.float32, [1, 3], name="x")
        start = tf.multiply(x, 1.0, name="start")
        _, value = tf1.while_loop(
            lambda i, _: i < 3, lambda i, v: (i + 1, v * factor), [tf.constant(0), start]
        )
        tf.identity(value, name="y")

    return draw


def test_nodes_of_a_loop_are_omitted(tmp_path: Path) -> None:
    found = _found(tmp_path, _loop(2), _loop(3), ROW)
    assert found.ops == ("Exit", "Exit")
    with sides(saved(tmp_path, "a", _loop(2))) as (a,):
        names = {s.node for s in module.candidates(a, a, Ref("y"), {X: tensors.from_array(ROW)})}
        inside = {node.name for node in a.graph.nodes if node.op in ("NextIteration", "Merge")}
        enters = {node.name for node in a.graph.nodes if node.op == "Enter"}
    assert "start" in names
    assert inside and enters
    assert not names & (inside | enters)


def test_nodes_that_the_output_does_not_need_are_omitted(tmp_path: Path) -> None:
    def draw(factor: float, aside: float) -> Draw:
        def created() -> None:
            x = tf1.placeholder(tf.float32, [1, 3], name="x")
            tf.multiply(x, aside, name="aside")
            tf.multiply(tf.multiply(x, 2, name="before"), factor, name="y")

        return created

    assert _found(tmp_path, draw(1, 1), draw(2, 2), ROW).node == "y"


def test_nothing_in_common(tmp_path: Path) -> None:
    """Both models have only the output in common, and it is fed."""
    paths = [saved(tmp_path, name, two_layers(f)) for name, f in (("a", 1.0), ("b", 2.0))]
    with sides(*paths) as (a, b):
        value = tensors.from_array(ROW)
        assert first_difference(a, b, Ref("y"), {Ref("y"): value}, 1e-5) is None


def test_a_graph_without_inputs(tmp_path: Path) -> None:
    def draw(factor: float) -> Draw:
        return lambda: tf.identity(
            tf.multiply(tf.constant([1.0]), factor, name="product"), name="y"
        )

    paths = [saved(tmp_path, name, draw(f)) for name, f in (("a", 1.0), ("b", 2.0))]
    with sides(*paths) as (a, b):
        found = first_difference(a, b, Ref("y"), {}, 1e-5)
    assert found is not None
    assert (found.node, found.constants) == ("product", ("product/y",))


def test_each_layer(tmp_path: Path) -> None:
    """The changed one of six layers is reported."""

    def draw(changed: int) -> Draw:
        def created() -> None:
            value = tf1.placeholder(tf.float32, [1, 3], name="x")
            for number in range(6):
                factor = 1.5 if number == changed else 1.0
                value = tf.tanh(
                    tf.multiply(value, factor, name=f"scale_{number}"), name=f"layer_{number}"
                )
            tf.identity(value, name="y")

        return created

    for changed in range(6):
        assert _found(tmp_path, draw(-1), draw(changed), ROW).node == f"scale_{changed}"
