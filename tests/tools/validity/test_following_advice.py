"""Follows the advice for graphs in which constants replaced variables: what it makes, TensorFlow loads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
import tensorflow_ops
import tensorflow_session

from tfcarve.cli import main
from tfcarve.models.read import read
from tfcarve.validity import check
from tfcarve.validity.fault import Fault

_v1 = tf.compat.v1


def _trained() -> Any:
    """Returns a graph as programs freeze it that replace each VariableV2 by a Const, and nothing else."""
    with _v1.Graph().as_default() as graph:
        x = _v1.placeholder(tf.float32, [None, 2], name="x")
        w = _v1.get_variable("w", initializer=tf.ones([2, 2]), use_resource=False)
        y = tf.nn.softmax(tf.matmul(x, w), name="y")
        _v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y), name="train")
        _v1.scatter_add(w, [0], [[1.0, 1.0]])
        _v1.train.Saver()
    frozen = graph.as_graph_def()
    for node in frozen.node:
        if node.op == "VariableV2":
            node.op = "Const"
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([[1.0, 1.0], [1.0, 1.0]]))
            for name in ("container", "shared_name", "shape"):
                del node.attr[name]
    return frozen


def _faults(path: Path) -> list[Fault]:
    model = read(path)
    return list(check.faults(tuple(model.nodes), model.functions, tensorflow_ops.definitions().get))


def test_constants_in_place_of_variables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sessions = tensorflow_session.Sessions()
    frozen, path, made = _trained(), tmp_path / "m.pb", tmp_path / "made.pb"
    path.write_bytes(frozen.SerializeToString())
    found = _faults(path)
    ops = {re.findall(r"'(\w+)'", each.reason.what)[0] for each in found}
    assert ops == {"Assign", "ApplyGradientDescent", "ScatterAdd"}
    refusal = sessions.refusal(path.read_bytes(), [node.name for node in frozen.node])
    assert "incompatible with expected float_ref" in refusal
    (fix,) = {each.reason.fix for each in found}
    command = re.search(r"tfcarve (transform .*strip_unused_nodes)", fix)
    assert command
    values = {"MODEL": str(path), "OUT": str(made), "NAMES": "y"}
    assert main([values.get(word, word) for word in command[1].split()]) == 0
    assert _faults(made) == []
    names = [use.node for use in read(made).nodes]
    assert "y" in names and sessions.refusal(made.read_bytes(), names) == ""
    sessions.close()
