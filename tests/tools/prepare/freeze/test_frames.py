"""Freezing keeps nodes in their loops and branches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import prepared
import programs
import pytest
import tensorflow as tf
from freeze_running import frozen_here, graph_of
from prepared import tf1
from programs import Condition, Loop, Program

from tfcarve.errors import InvalidInput
from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, by_name, data_inputs, topological_order


def _frozen(graph: Graph, folder: Path) -> Graph:
    path = folder / "m.pb"
    graph_file.write_graph(path, graph)
    return prepared.from_tensorflow(graph_of(frozen_here(path, folder / "f", outputs=("y",))))


def _require_one_live_input(graph: Graph) -> None:
    """Fails if both inputs of the Merge of a condition may be alive: TensorFlow then takes any of them."""
    liveness = Liveness(topological_order(graph))
    merge = next(node for node in graph.nodes if node.op == "Merge")
    assert all(liveness.of(source) for source in data_inputs(merge))


def _drawn(is_loop: bool) -> Graph:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, [], name="x")
        keys, values = tf.constant([1, 2, 3], tf.int64), tf.constant([1.0, 2.0, 3.0])
        initializer = tf.lookup.KeyValueTensorInitializer(keys, values)
        table = tf.lookup.StaticHashTable(initializer, 0.0)

        def size() -> tf.Tensor:
            return tf.cast(table.size(), tf.float32)

        if is_loop:
            _, y = tf1.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y + size()), [0, x])
        else:
            y = tf1.cond(x > 0.0, size, lambda: x)
        tf.identity(y, name="y")

    tf1.disable_control_flow_v2()
    try:
        return prepared.drawn(draw)
    finally:
        tf1.enable_control_flow_v2()


@pytest.mark.parametrize(
    ("is_loop", "x", "expected"), [(True, 1.0, 7.0), (False, 1.0, 3.0), (False, -1.0, -1.0)]
)
def test_a_value_that_freezing_computes(
    is_loop: bool, x: float, expected: float, tmp_path: Path
) -> None:
    frozen = _frozen(_drawn(is_loop), tmp_path)
    assert prepared.ran(frozen, {"x": np.float32(x)}, ["y"])[0] == expected
    if not is_loop:
        _require_one_live_input(frozen)


@pytest.mark.parametrize(
    "program",
    [
        [Condition(["a call for a constant"], ["a constant"])],
        [Condition(["a constant"], ["a call", "a division"])],
        [Loop(2, ["a call for a constant", Condition(["a call"], ["a call for a constant"])])],
    ],
)
def test_calls_in_loops_and_branches(program: Program, tmp_path: Path) -> None:
    before = programs.drawn(program, "frames")
    for node in before.nodes:
        if node.op == "PartitionedCall":  # TensorFlow gives a call in a loop a control input
            node.input[:] = [text for text in node.input if not text.startswith("^")]
    after = _frozen(before, tmp_path)
    assert "PartitionedCall" not in prepared.ops(after)
    for x in programs.inputs():
        assert prepared.difference(before, after, {"x": x}) == 0
    if isinstance(program[0], Condition):
        _require_one_live_input(after)


def test_a_model_with_a_node_in_two_frames(tmp_path: Path) -> None:
    before = programs.drawn([Loop(2, ["a division", "a call"])], "frames")
    (division,) = (node for node in before.nodes if node.op == "RealDiv")
    del by_name(before)[division.input[1]].input[:]
    with pytest.raises(InvalidInput, match=rf"rejects the frozen graph: node '{division.name}': "):
        _frozen(before, tmp_path)
    # The control: TensorFlow rejects it too.
    with pytest.raises(tf.errors.InvalidArgumentError, match="different frames"):
        prepared.ran(before, {"x": programs.inputs()[0]}, ["y"])
