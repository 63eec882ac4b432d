"""Tests of insert_logging."""

import prepared
import tensorflow as tf
from prepared import tf1

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import by_name

_X = prepared.noise(2, 3)


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [2, 3], name="x")
    a = tf.tanh(x, name="part/a")
    values, places = tf.math.top_k(a, 2, name="part/top")
    with tf1.control_dependencies([tf.abs(x, name="waited")]):
        tf.add(values, tf.cast(places, tf.float32), name="y")


def test_all_nodes(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(before, "insert_logging", evaluator)
    nodes = by_name(after)
    assert prepared.ops(after)["Print"] == len(before.nodes) - 1  # nothing reads y
    assert prepared.inputs_of(after, "part/a") == ["x__print__"]
    assert prepared.inputs_of(after, "part/a__print__") == ["part/a", "part/a"]
    assert prepared.inputs_of(after, "part/top__print__") == ["part/top", "part/top", "part/top:1"]
    assert list(nodes["part/top__print__"].attr["U"].list.type) == [1, 3]
    assert nodes["part/top__print__"].attr["first_n"].i == -1
    assert nodes["part/top__print__"].attr["summarize"].i == 1024
    assert nodes["part/top__print__"].attr["message"].s == b""
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_some_nodes(evaluator: Evaluator) -> None:
    def printed(parameters: str) -> set[str]:
        after = prepared.transformed(
            prepared.drawn(_draw), f"insert_logging({parameters})", evaluator
        )
        return {n.input[0] for n in after.nodes if n.op == "Print"}

    assert printed("op=Tanh, op=Abs") == {"part/a", "waited"}
    assert printed("prefix=part") == {"part/a", "part/top", "part/top/k"}
    assert printed("prefix=part, op=Tanh") == {"part/a"}
    assert printed("op=Relu") == set()


def test_messages(evaluator: Evaluator) -> None:
    after = prepared.transformed(
        prepared.drawn(_draw),
        'insert_logging(op=Tanh, show_name=true, show_op=true, message="__hello__", first_n=3, summarize=7)',
        evaluator,
    )
    attr = by_name(after)["part/a__print__"].attr
    assert attr["message"].s == b";Tanh;;part/a__print__;__hello__"
    assert (attr["first_n"].i, attr["summarize"].i) == (3, 7)
    assert prepared.difference(prepared.drawn(_draw), after, {"x": _X}) == 0
