"""Tests of the transforms that change names, ops, attributes, devices and order."""

import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, by_name
from tfcarve.prepare.graph.graph_check import check
from tfcarve.prepare.graph.messages import NodeDef

_X = prepared.noise(2, 3)


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [2, 3], name="x")
    with tf.device("/device:CPU:0"):
        a = tf.tanh(x, name="deep/a")
    with tf1.control_dependencies([a]), tf1.colocate_with(a):
        b = tf.exp(x, name="deep/b")
    low, high = tf.split(a * b, tf.constant([1, 2], tf.int64), 1, name="parts")
    tf.add(low, high, name="y")


def _all_nodes(graph: Graph) -> list[NodeDef]:
    return [*graph.nodes, *(n for f in graph.library.function for n in f.node_def)]


def _with_function() -> None:
    x = tf1.placeholder(tf.float32, [2, 3], name="x")

    @tf.function
    def f(v: tf.Tensor) -> tf.Tensor:
        with tf.device("/device:CPU:0"):
            low, high = tf.split(tf.tanh(v), tf.constant([1, 2], tf.int64), 1)
        with tf.control_dependencies([low]):
            return tf.exp(v)[:, 1:] + high

    tf.identity(f(x), name="y")


def test_add_and_remove_attributes(evaluator: Evaluator) -> None:
    for draw in (_draw, _with_function):
        before = prepared.drawn(draw)
        bare = prepared.transformed(
            before, "remove_attribute(attribute_name=Tlen, op_name=SplitV)", evaluator
        )
        split = next(n for n in _all_nodes(bare) if n.op == "SplitV")
        assert "Tlen" not in split.attr
        assert "T" in split.attr
        full = prepared.transformed(bare, "add_default_attributes", evaluator)
        split = next(n for n in _all_nodes(full) if n.op == "SplitV")
        assert split.attr["Tlen"].type == 9  # the default
        other = prepared.transformed(
            before, "remove_attribute(attribute_name=Tlen, op_name=Exp)", evaluator
        )
        assert "Tlen" in next(n for n in _all_nodes(other) if n.op == "SplitV").attr


def test_defaults_of_tensorflow(evaluator: Evaluator) -> None:
    full = prepared.transformed(prepared.drawn(_draw), "add_default_attributes", evaluator)
    assert prepared.ran(full, {"x": _X}, ["y"])[0].shape == (2, 2)
    x = nodes.make("Placeholder", "x", (), dtype=nodes.type_value(nodes.FLOAT))
    others = [("relu", "LeakyRelu", "x"), ("y", "AppOp", "relu")]
    bare = Graph([x, *(NodeDef(name=name, op=op, input=[read]) for name, op, read in others)])
    created = by_name(prepared.transformed(bare, "add_default_attributes", evaluator))
    assert created["relu"].attr["alpha"].f == pytest.approx(0.2)
    assert not created["y"].attr


def test_rename_attribute(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    for node in before.nodes:
        node.attr["_T"].type = nodes.FLOAT
    for op, expected in (("", {n.op for n in before.nodes}), (", op_name=Exp", {"Exp"})):
        after = prepared.transformed(
            before, f"rename_attribute(old_attribute_name=_T, new_attribute_name=_S{op})", evaluator
        )
        assert {n.op for n in after.nodes if "_S" in n.attr} == expected
        assert all("_T" not in n.attr for n in after.nodes if n.op in expected)


def test_rename_op(evaluator: Evaluator) -> None:
    before = prepared.drawn(_with_function)
    after = prepared.transformed(before, "rename_op(old_op_name=Tanh, new_op_name=Sin)", evaluator)
    assert {"Sin"} == {n.op for n in _all_nodes(after)} - {n.op for n in _all_nodes(before)}
    x = prepared.noise(2, 3)
    expected = (tf.exp(x) + tf.sin(x))[:, 1:].numpy()
    assert abs(prepared.ran(after, {"x": x}, ["y"])[0] - expected).max() == 0


def test_rename_node(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(
        before, "rename_node(old_node_name=deep/a, new_node_name=a)", evaluator
    )
    check(after)
    assert "deep/a" not in by_name(after)
    assert prepared.inputs_of(after, "deep/b") == ["x", "^a"]
    assert list(by_name(after)["deep/b"].attr["_class"].list.s) == [b"loc:@a"]
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_an_output_may_be_renamed(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(
        before, "rename_node(old_node_name=y, new_node_name=z) strip_unused_nodes", evaluator
    )
    (y,), (z,) = prepared.ran(before, {"x": _X}, ["y"]), prepared.ran(after, {"x": _X}, ["z"])
    assert (y == z).all()


def test_obfuscate_names(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(before, "obfuscate_names", evaluator)
    check(after)
    names = [node.name for node in after.nodes]
    assert {"x", "y"} < set(names)
    assert sorted(set(names) - {"x", "y"}) == [str(i) for i in range(len(names) - 2)]
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_obfuscated_names_of_many_nodes(evaluator: Evaluator) -> None:
    many = Graph([NodeDef(name=f"node{i}", op="NoOp") for i in range(70)])
    after = prepared.transformed(many, "obfuscate_names", evaluator, ["node5"], ["node3"])
    names = [node.name for node in after.nodes]
    assert names[:6] == ["0", "1", "2", "node3", "3", "node5"]
    assert names[-8:] == ["Y", "Z", "10", "11", "12", "13", "14", "15"]


def test_remove_control_dependencies(evaluator: Evaluator) -> None:
    for draw in (_draw, _with_function):
        before = prepared.drawn(draw)
        after = prepared.transformed(before, "remove_control_dependencies", evaluator)
        assert any(text.startswith("^") for n in _all_nodes(before) for text in n.input)
        assert not any(text.startswith("^") for n in _all_nodes(after) for text in n.input)
        assert prepared.difference(before, after, {"x": _X}) == 0


def test_devices(evaluator: Evaluator) -> None:
    def devices(graph: Graph) -> set[str]:
        return {n.device for n in _all_nodes(graph)}

    for draw in (_draw, _with_function):
        before = prepared.drawn(draw)
        assert devices(before) == {"", "/device:CPU:0"}
        assert devices(prepared.transformed(before, "remove_device", evaluator)) == {""}
        named = prepared.transformed(before, 'set_device(device="/device:GPU:0")', evaluator)
        assert devices(named) == {"/device:GPU:0"}
        some = prepared.transformed(
            before, 'set_device(device="/cpu:1", if_default=true)', evaluator
        )
        assert devices(some) == {"/cpu:1", "/device:CPU:0"}


def test_order(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    turned = before.with_nodes(before.nodes[::-1])
    after = prepared.transformed(turned, "sort_by_execution_order", evaluator)
    seen: set[str] = set()
    for node in after.nodes:
        assert {text.lstrip("^").split(":")[0] for text in node.input} <= seen
        seen.add(node.name)
    assert len(after.nodes) == len(before.nodes)


def test_order_of_a_loop(evaluator: Evaluator) -> None:
    def draw() -> None:
        tf1.disable_control_flow_v2()
        x = tf1.placeholder(tf.float32, [], name="x")
        tf.identity(tf1.while_loop(lambda v: v < 10.0, lambda v: v * 2.0, [x]), name="y")
        tf1.enable_control_flow_v2()

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "sort_by_execution_order", evaluator)
    assert sorted(n.name for n in after.nodes) == sorted(n.name for n in before.nodes)
    assert prepared.difference(before, after, {"x": prepared.np.float32(0.7)}) == 0


@pytest.mark.parametrize(
    ("transforms", "message"),
    [
        ("remove_attribute", r"remove_attribute: the parameter 'attribute_name' is required"),
        (
            "remove_attribute(attribute_name=a, attribute_name=b)",
            r"attribute_name is passed 2 times",
        ),
        (
            "rename_attribute(old_attribute_name=a)",
            r"the parameter 'new_attribute_name' is required",
        ),
        ("rename_op(new_op_name=a)", r"rename_op: the parameter 'old_op_name' is required"),
        ('rename_op(old_op_name=Exp, new_op_name="a b")', r"'a b' is not a valid op name"),
        ("rename_node(old_node_name=y)", r"rename_node: the parameter 'new_node_name' is required"),
        (
            "rename_node(old_node_name=yy, new_node_name=z)",
            r"the node 'yy' does not exist; did you mean y\?",
        ),
        ("rename_node(old_node_name=y, new_node_name=x)", r"a node 'x' already exists"),
        ("set_device(if_default=perhaps)", r"if_default='perhaps': expected true or false"),
    ],
)
def test_invalid_parameters(transforms: str, message: str, evaluator: Evaluator) -> None:
    with pytest.raises(InvalidInput, match=message):
        prepared.transformed(prepared.drawn(_draw), transforms, evaluator)
