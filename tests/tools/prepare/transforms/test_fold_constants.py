"""Tests of fold_constants."""

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, by_name

_X = prepared.noise(2, 3)


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [2, 3], name="x")
    weights = tf.identity(tf.constant(prepared.noise(3, 4), name="w"), name="read")
    with tf1.control_dependencies([weights]):
        scale = tf.sqrt(tf.constant(2.0) + tf.range(4.0), name="scale")
    tf.add(tf.matmul(x, weights) * scale, tf.random.stateless_uniform([4], [1, 2]), name="y")


def test_constant_expressions_are_folded(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    after = prepared.transformed(before, "fold_constants", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "MatMul": 1, "Mul": 1, "AddV2": 1, "Const": 3}
    assert prepared.inputs_of(after, "MatMul") == ["x", "w"]
    assert prepared.inputs_of(after, "scale") == []
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_random_or_fed_nodes_are_not_folded(evaluator: Evaluator) -> None:
    def draw() -> None:
        c = tf.constant(1.0, name="c")
        d = tf1.placeholder_with_default(tf.constant(2.0), [], name="d")
        tf.add(tf1.random_uniform([]) * 0.0 + d, tf.negative(c), name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants", evaluator, inputs=["c"])
    assert {"Neg", "RandomUniform", "PlaceholderWithDefault"} < prepared.ops(after).keys()
    assert prepared.difference(before, after, {"c": np.float32(5), "d": np.float32(3)}) == 0
    fed = prepared.transformed(before, "fold_constants", evaluator, inputs=["d"])
    assert prepared.ops(fed)["Placeholder"] == 1
    assert "Neg" not in prepared.ops(fed)


def test_known_shapes(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2, 3, 4], name="x")
        u = tf1.placeholder(tf.float32, [None, 3], name="u")
        n = tf.shape(x)[1] * tf.size(x) + tf.rank(u)
        both = tf.shape_n([x, x], out_type=tf.int64)
        tf.add(tf.cast(n, tf.float32), tf.cast(tf.reduce_sum(both[1]), tf.float32), name="y")
        tf.identity(tf.shape(u), name="z")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants", evaluator, ("y", "z"), ("x", "u"))
    assert prepared.ops(after) == {"Placeholder": 2, "Const": 1, "Shape": 1, "Identity": 1}
    assert nodes.value(by_name(after)["y"]) == 3 * 24 + 2 + 9
    feeds = {"x": prepared.noise(2, 3, 4), "u": prepared.noise(5, 3)}
    assert prepared.difference(before, after, feeds, ("y", "z")) == 0


def test_several_outputs(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2], name="x")
        a, _, c = tf.split(tf.constant(prepared.noise(6)), 3)
        tf.add(x * a, c, name="y")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants", evaluator)
    assert prepared.inputs_of(after, "y") == ["mul", "split/output_2"]
    assert prepared.difference(before, after, {"x": prepared.noise(2)}) == 0


def test_strings_and_a_constant_output(evaluator: Evaluator) -> None:
    def draw() -> None:
        tf.identity(tf.strings.join([tf.constant(["a", "b"]), "c"]), name="y")
        tf.identity(tf.constant(prepared.noise(3), name="c"), name="z")

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants", evaluator, ("y", "z"), ())
    assert prepared.ops(after) == {"Const": 2}
    y, z = prepared.ran(after, {}, ("y", "z"))
    assert y.tolist() == [b"ac", b"bc"]
    np.testing.assert_array_equal(z, prepared.noise(3))


def test_limits(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)

    def left(parameters: str) -> set[str]:
        after = prepared.transformed(before, f"fold_constants({parameters})", evaluator)
        assert prepared.difference(before, after, {"x": _X}) == 0
        return set(prepared.ops(after))

    assert "Sqrt" not in left("")
    assert "Sqrt" in left("exclude_op=Sqrt")
    assert "Sqrt" in left("exclude_node=scale")
    assert "Sqrt" in left("max_constant_size_in_bytes=15")
    assert "Sqrt" not in left("max_constant_size_in_bytes=16")
    with pytest.raises(InvalidInput, match=r"^fold_constants: max_constant_size_in_bytes=-1"):
        left("max_constant_size_in_bytes=-1")


def test_huge_constants_are_not_folded(evaluator: Evaluator) -> None:
    def draw() -> None:
        huge = tf.fill([1 << 20, 1 << 20], 1.0, name="huge")
        x = tf1.placeholder(tf.float32, [], name="x")
        tf.add(tf.reduce_sum(huge, name="sum"), x, name="y")

    after = prepared.transformed(prepared.drawn(draw), "fold_constants", evaluator)
    assert {"Fill", "Sum"} < prepared.ops(after).keys()


def test_huge_constants_of_unknown_size_are_rejected() -> None:
    def draw() -> None:
        # Its size is known only when it runs.
        count = tf.size(tf.where(tf.constant([True, True])), out_type=tf.int32)
        shape = tf.fill([count], 1 << 20)
        x = tf1.placeholder(tf.float32, [], name="x")
        tf.add(tf.reduce_sum(tf.random.stateless_uniform(shape, [1, 2])), x, name="y")

    with Evaluator() as own:
        try:
            after = prepared.transformed(prepared.drawn(draw), "fold_constants", own)
        except InvalidInput as error:
            assert "TensorFlow's process ended" in str(error)
        else:
            assert "Sum" in prepared.ops(after)


def test_nodes_that_fail_are_not_folded(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [], name="x")
        bad = tf1.check_numerics(tf.constant(np.nan, tf.float32), "no")
        tf.add(x + tf.sqrt(tf.constant(4.0)), bad, name="y")

    after = prepared.transformed(prepared.drawn(draw), "fold_constants", evaluator)
    assert prepared.ops(after)["CheckNumerics"] == 1
    assert "Sqrt" not in prepared.ops(after)


def test_incompatible_shapes(evaluator: Evaluator) -> None:
    graph = prepared.drawn(_draw)
    by_name(graph)["w"].attr["value"].tensor.tensor_shape.dim[0].size = 4
    by_name(graph)["w"].attr["value"].tensor.tensor_shape.dim[1].size = 3
    with pytest.raises(
        InvalidInput, match=r"^fold_constants: TensorFlow reports: .*Dimensions must be equal"
    ):
        prepared.transformed(graph, "fold_constants", evaluator)


def test_a_custom_op_is_not_folded(evaluator: Evaluator) -> None:
    graph = prepared.drawn(_draw)
    by_name(graph)["Mul" if "Mul" in by_name(graph) else "mul"].op = "AppScale"
    after = prepared.transformed(graph, "fold_constants merge_duplicate_nodes", evaluator)
    assert {"AppScale", "MatMul"} < prepared.ops(after).keys()
    assert "Sqrt" not in prepared.ops(after)


def test_a_custom_op_in_a_function_is_not_folded(evaluator: Evaluator) -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [2, 6], name="x")
        inner = tf.function(tf.tanh)
        outer = tf.function(lambda v: inner(v) + tf.sqrt(tf.constant(9.0)))
        tf.multiply(outer(x), tf.sqrt(tf.constant(4.0)), name="y")

    graph = prepared.drawn(draw)
    for node in [n for f in graph.library.function for n in f.node_def]:
        node.op = "AppScale" if node.op == "Tanh" else node.op
    after = prepared.transformed(graph, "fold_constants", evaluator)
    assert prepared.ops(after) == {"Placeholder": 1, "Const": 1, "PartitionedCall": 1, "Mul": 1}
    in_functions = {n.op for f in after.library.function for n in f.node_def}
    assert "AppScale" in in_functions
    assert "Sqrt" not in in_functions


@pytest.mark.parametrize("lowered", [True, False])
def test_loops(lowered: bool, evaluator: Evaluator) -> None:
    def draw() -> None:
        if lowered:
            tf1.disable_control_flow_v2()
        try:
            x = tf1.placeholder(tf.float32, [2, 3], name="x")

            def body(i: tf.Tensor, v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
                size = tf.cast(tf.size(v), tf.float32)
                return i + 1, v * tf.sqrt(tf.constant(4.0)) / size

            created = tf1.while_loop(lambda i, v: i < 3, body, [tf.constant(0), x])
            tf.identity(created[1], name="y")
        finally:
            tf1.enable_control_flow_v2()

    before = prepared.drawn(draw)
    after = prepared.transformed(before, "fold_constants", evaluator)
    assert prepared.difference(before, after, {"x": _X}) == 0

    def all_ops(graph: Graph) -> set[str]:
        return {n.op for n in graph.nodes} | {
            n.op for f in graph.library.function for n in f.node_def
        }

    assert "Sqrt" in all_ops(before)
    assert "Sqrt" not in all_ops(after)
    assert ("Enter" in all_ops(after)) == lowered


def test_output_shapes_are_removed(evaluator: Evaluator) -> None:
    graph = prepared.drawn(_draw)
    by_name(graph)["y"].attr["_output_shapes"].list.shape.add().dim.add(size=7)
    cleared = prepared.transformed(graph, "fold_constants", evaluator)
    assert "_output_shapes" not in by_name(cleared)["y"].attr
    with pytest.raises(InvalidInput, match="_output_shapes attribute inconsistent"):
        prepared.transformed(graph, "fold_constants(clear_output_shapes=false)", evaluator)


def test_output_is_deterministic(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    created = {
        prepared.graph_file.to_bytes(prepared.transformed(before, "fold_constants", evaluator))
        for _ in range(3)
    }
    assert len(created) == 1
