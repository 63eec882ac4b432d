"""Tests of inline_partitionedcall."""

import prepared
import programs
import pytest
import tensorflow as tf
from prepared import tf1
from programs import Condition, Loop

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Graph, by_name

_X = prepared.noise(2, 4)


@tf.function
def _inner(v: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    low, high = tf.split(v, 2, 1)
    return high, tf.tanh(low)


@tf.function
def _outer(v: tf.Tensor, unused: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    high, low = _inner(v)
    again, _ = _inner(v + 1.0)
    with tf.control_dependencies([again]):
        return high + low * again, v


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [2, 4], name="x")
    with tf1.control_dependencies([tf.abs(x, name="first")]):
        created, same = _outer(x, tf.constant(1.0))
    with tf1.control_dependencies([created.op]):
        tf.identity(tf.reduce_sum(created) + same, name="y")


@pytest.mark.parametrize("stateful", [True, False])
def test_nested_calls(stateful: bool, evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    for node in [*before.nodes, *(n for f in before.library.function for n in f.node_def)]:
        if node.op == "PartitionedCall" and stateful:
            node.op = "StatefulPartitionedCall"
    after = prepared.transformed(before, "inline_partitionedcall", evaluator)
    assert not [node for node in after.nodes if node.op.endswith("PartitionedCall")]
    assert not after.library.function
    assert prepared.ops(after)["Split"] == 2
    assert "^first" in [text for node in after.nodes for text in node.input]
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_a_fetched_call(evaluator: Evaluator) -> None:
    def draw() -> None:
        _inner(tf1.placeholder(tf.float32, [2, 4], name="x"))

    before = prepared.drawn(draw)
    (call,) = (n.name for n in before.nodes if n.op == "PartitionedCall")
    outputs = [f"{call}:0", f"{call}:1"]
    after = prepared.transformed(before, "inline_partitionedcall", evaluator, outputs)
    assert by_name(after)[call].op == "IdentityN"
    assert prepared.difference(before, after, {"x": _X}, outputs) == 0


def test_taken_names(evaluator: Evaluator) -> None:
    before = prepared.drawn(_draw)
    call = next(n.name for n in before.nodes if n.op == "PartitionedCall")
    before.nodes.append(prepared.copy(Graph(before.nodes[:1])).nodes[0])
    before.nodes[-1].name = f"{call}/PartitionedCall"
    after = prepared.transformed(before, "inline_partitionedcall", evaluator)
    assert prepared.difference(before, after, {"x": _X}) == 0


def test_attributes_of_the_caller(evaluator: Evaluator) -> None:
    before = prepared.drawn(lambda: (_draw_simple(), None)[1])
    function = before.library.function[0]
    attr = function.signature.attr.add(name="N", type="type")
    for node in function.node_def:
        if node.op == "Tanh":
            node.attr["T"].placeholder = attr.name
    for node in before.nodes:
        if node.op == "PartitionedCall":
            node.attr["f"].func.attr["N"].type = 1
    after = prepared.transformed(before, "inline_partitionedcall", evaluator)
    (tanh,) = (n for n in after.nodes if n.op == "Tanh")
    assert tanh.attr["T"].type == 1
    assert prepared.ran(after, {"x": _X}, ["y"])[0].shape == (2, 4)


def _draw_simple() -> None:
    x = tf1.placeholder(tf.float32, [2, 4], name="x")
    tf.identity(tf.function(tf.tanh)(x), name="y")


def test_invalid_calls(evaluator: Evaluator) -> None:
    graph = prepared.drawn(_draw_simple)
    call = next(n for n in graph.nodes if n.op == "PartitionedCall")
    name = call.attr["f"].func.name
    call.attr["f"].func.name = name[:-1]
    with pytest.raises(
        InvalidInput, match=rf"calls '{name[:-1]}', which does not exist; did you mean {name}"
    ):
        prepared.transformed(graph, "inline_partitionedcall", evaluator)
    call.attr["f"].func.name = name
    extra = prepared.copy(graph)
    by_name(extra)[call.name].input.append("x")
    with pytest.raises(InvalidInput, match=r"2 inputs for 1 arguments"):
        prepared.transformed(extra, "inline_partitionedcall", evaluator)
    graph.library.function[0].node_def[0].op = "NoSuchOp"
    with pytest.raises(InvalidInput, match=r"its function has NoSuchOp, which is unknown"):
        prepared.transformed(graph, "inline_partitionedcall", evaluator)


@pytest.mark.parametrize("calls", [1, 2])
def test_recursive_functions(calls: int, evaluator: Evaluator) -> None:
    graph = prepared.drawn(_draw_simple)
    function = graph.library.function[0]
    call = next(n for n in graph.nodes if n.op == "PartitionedCall")
    for number in range(calls):
        node = function.node_def.add()
        node.CopyFrom(call)
        node.name = f"again{number}"
        node.input[:] = [function.signature.input_arg[0].name]
    with pytest.raises(InvalidInput, match=r"calls itself, or calls are nested"):
        prepared.transformed(graph, "inline_partitionedcall", evaluator)


def test_functions_that_only_call_each_other(evaluator: Evaluator) -> None:
    """Each level doubles the calls; 60 levels are 2^60 calls without any other node."""
    graph = prepared.drawn(_draw_simple)
    last = graph.library.function[0]
    call = next(n for n in graph.nodes if n.op == "PartitionedCall")
    argument = last.signature.input_arg[0].name
    (result,) = last.ret
    call.attr["f"].func.name = "level0"
    for level in range(60):
        function = graph.library.function.add()
        function.CopyFrom(last)
        function.signature.name = f"level{level}"
        del function.node_def[:]
        for name in ("first", "second"):
            node = function.node_def.add()
            node.CopyFrom(call)
            node.name, node.input[:] = name, [argument]
            node.attr["f"].func.name = f"level{level + 1}"
        function.ret[result] = "second:output:0"
    last.signature.name = "level60"
    with pytest.raises(InvalidInput, match=r"more than 1,000,000 nodes after functions are inline"):
        prepared.transformed(graph, "inline_partitionedcall", evaluator)


@pytest.mark.parametrize("block", ["a call", "a call for a constant"])
@pytest.mark.parametrize("is_loop", [True, False])
def test_a_call_in_a_loop_or_branch(is_loop: bool, block: str, evaluator: Evaluator) -> None:
    """The constants of its function run in the frame of the call, and only if it runs."""
    program = Loop(1, [block]) if is_loop else Condition([block], ["a constant"])
    before = programs.drawn([program], "frames")
    (call,) = (node for node in before.nodes if node.op == "PartitionedCall")
    call.input[:] = [text for text in call.input if not text.startswith("^")]
    after = prepared.transformed(before, "inline_partitionedcall", evaluator)
    assert "PartitionedCall" not in prepared.ops(after)
    # The call in the branch reads a Switch, whose control edge is alive in both branches.
    assert ("IdentityN" in prepared.ops(after)) != is_loop
    for x in programs.inputs():
        assert prepared.difference(before, after, {"x": x}) == 0


@pytest.mark.parametrize("fetched", [True, False])
def test_side_effects_run_before_results_are_read(fetched: bool, evaluator: Evaluator) -> None:
    @tf.function
    def checked(v: tf.Tensor) -> tf.Tensor:
        tf.debugging.Assert(tf.reduce_all(v < 9.0), [v])
        return v * 2.0

    def draw() -> None:
        y = checked(tf1.placeholder(tf.float32, [2, 4], name="x"))
        if not fetched:
            tf.identity(y, name="y")

    before = prepared.drawn(draw)
    (call,) = (n.name for n in before.nodes if n.op == "StatefulPartitionedCall")
    output = call if fetched else "y"
    after = prepared.transformed(before, "inline_partitionedcall", evaluator, (output,))
    assert prepared.difference(before, after, {"x": _X}, (output,)) == 0
    for graph in (before, after):
        with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
            prepared.ran(graph, {"x": _X + 10}, [output])
