"""Tests of the names of inputs and outputs of frozen graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from freeze_running import frozen_here, graph_of, run
from freeze_sources import keras_file, keras_model

v1 = tf.compat.v1


def _saved(folder: Path, inputs: dict[str, Any], outputs: dict[str, Any], session: Any) -> Path:
    build = v1.saved_model.build_tensor_info
    signature = v1.saved_model.build_signature_def(
        {key: build(tensor) for key, tensor in inputs.items()},
        {key: build(tensor) for key, tensor in outputs.items()},
    )
    builder = v1.saved_model.Builder(str(folder))
    builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
    builder.save()
    return folder


def test_names_of_a_signature(tmp_path: Path) -> None:
    """Keys that are not node names, names of other nodes, an output that is an input, variables with such names."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2], name="y")
        other = v1.placeholder_with_default(tf.constant([5.0, 5.0]), [2], name="other")
        weight = v1.get_variable("sum", initializer=tf.constant([10.0, 20.0]))
        total = tf.add(x, weight, name="x")
        fixed = tf.multiply(other, 2.0, name="fixed")
        session.run(v1.global_variables_initializer())
        outputs = {"x": x, "sum": total, "an output:0": fixed, "fixed": fixed}
        folder = _saved(tmp_path / "m", {"x": x}, outputs, session)
    data = frozen_here(folder, tmp_path)
    found = run(data, {"x": [1.0, 2.0]}, ["x_output", "sum", "an_output_0", "fixed"])
    assert {name: array.tolist() for name, array in found.items()} == {
        "x_output": [1, 2], "sum": [11, 22], "an_output_0": [10, 10], "fixed": [10, 10],
    }  # fmt: skip
    names = [node.name for node in graph_of(data).node]
    assert len(names) == len(set(names))
    assert [n.name for n in graph_of(data).node if n.op.startswith("Placeholder")] == ["x"]


def test_parts_of_a_sparse_tensor(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        sparse = v1.sparse_placeholder(tf.float32, [None, 3], name="s")
        dense = tf.sparse.to_dense(sparse)
        folder = _saved(tmp_path / "m", {"rows": sparse}, {"dense": dense}, session)
    feeds = {"rows/values": [7.0], "rows/indices": [[1, 2]], "rows/dense_shape": [2, 3]}
    found = run(frozen_here(folder, tmp_path), feeds, ["dense"])["dense"]
    assert found.tolist() == [[0, 0, 0], [0, 0, 7]]


def test_tensors_from_the_user(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [4], name="x")
        first, second = tf.split(x * 2.0, 2, name="halves")
        tf.add(first, second, name="sum")
        unused = v1.placeholder(tf.float32, [], name="unused")
        tf.identity(unused, name="of_unused")
    file = tmp_path / "m.pb"
    file.write_bytes(graph.as_graph_def().SerializeToString())
    data = frozen_here(file, tmp_path, outputs=("sum", "halves:1"))
    found = run(data, {"x": [1.0, 2.0, 3.0, 4.0]}, ["sum", "halves_1"])
    assert found["sum"].tolist() == [8, 12] and found["halves_1"].tolist() == [6, 8]
    assert "unused" not in {node.name for node in graph_of(data).node}
    data = frozen_here(file, tmp_path, inputs=("halves:0", "halves:1"), outputs=("sum",))
    found = run(data, {"halves": [1.0, 2.0], "halves_1": [30.0, 40.0]}, ["sum"])
    assert found["sum"].tolist() == [31, 42]
    assert {n.op for n in graph_of(data).node} == {"Placeholder", "AddV2"}


def test_the_output_of_a_call(tmp_path: Path) -> None:
    """A call is inlined, and its output gets its name."""
    source = keras_file(tmp_path / "m", keras_model())
    call = "StatefulPartitionedCall"
    data = frozen_here(source.path, tmp_path, outputs=(call,))
    assert {n.op for n in graph_of(data).node if n.name == call} == {"Identity"}
    found = run(data, source.feeds, [call])[call]
    assert np.allclose(found, source.expected["scores"], atol=1e-6)
    assert not graph_of(data).library.function


@pytest.mark.parametrize("levels", [2, 40])
def test_nested_functions(levels: int, tmp_path: Path) -> None:
    module = tf.Module()
    module.weight = tf.Variable([2.0, 3.0])
    inner = tf.function(lambda x: x + module.weight)
    for _ in range(levels):
        inner = tf.function(lambda x, called=inner: called(x) + 1.0)
    module.call = tf.function(
        lambda x: {"y": inner(x)}, input_signature=[tf.TensorSpec([2], tf.float32, name="x")]
    )
    tf.saved_model.save(module, str(tmp_path / "m"), signatures=module.call)
    data = frozen_here(tmp_path / "m", tmp_path)
    found = run(data, {"x": [0.0, 0.0]}, ["y"])["y"]
    assert found.tolist() == [2 + levels, 3 + levels]
    assert not graph_of(data).library.function
