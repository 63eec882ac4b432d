"""Tests of the child process that runs TensorFlow."""

import importlib.machinery
import importlib.util
import subprocess

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import tf1

import extent
from tfcarve import full_tensorflow
from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate import evaluator
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed
from tfcarve.prepare.evaluate.requests import OpListRequest, Output
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Graph, Ref


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [None, 3], name="x")
    s = tf1.placeholder(tf.string, [2], name="s")
    tf.identity(tf.tanh(x), name="y")
    tf.strings.join([s, "!"], name="t")
    tf.unstack(tf.constant([1, 2, 3]), name="u")
    tf1.placeholder(tf.float32, name="anything")


def test_op_defs(evaluator: Evaluator) -> None:
    assert evaluator.op_defs["RandomUniform"].is_stateful
    assert not evaluator.op_defs["Relu"].is_stateful
    assert [arg.name for arg in evaluator.op_defs["Split"].input_arg] == ["split_dim", "value"]


def test_types_and_shapes(evaluator: Evaluator) -> None:
    with evaluator.loaded(prepared.drawn(_draw)) as loaded:
        found = loaded.outputs()
    assert found["y"] == [Output(1, (-1, 3))]
    assert found["u"] == [Output(3, ())] * 3
    assert found["anything"] == [Output(1, None)]
    assert [o.known() for name in ("y", "u", "anything") for o in found[name][:1]] == [
        False,
        True,
        False,
    ]


def test_values(evaluator: Evaluator) -> None:
    x = prepared.noise(2, 3)
    texts = np.array([b"a", b"long" * 40], object)
    with evaluator.loaded(prepared.drawn(_draw)) as loaded:
        y, t, u = loaded.run(
            [Ref("y"), Ref("t"), Ref("u", 2)],
            {Ref("x"): tensors.from_array(x), Ref("s"): tensors.from_array(texts)},
        )
    np.testing.assert_array_equal(tensors.to_array(y, "y"), tf.tanh(x).numpy())
    assert tensors.to_array(t, "t").tolist() == [b"a!", b"long" * 40 + b"!"]
    assert tensors.to_array(u, "u") == 3


def test_tensorflow_errors(evaluator: Evaluator) -> None:
    graph = prepared.drawn(_draw)
    with evaluator.loaded(graph) as loaded:
        with pytest.raises(Failed, match="x"):
            loaded.run([Ref("y")], {})
        with pytest.raises(Failed, match="float"):
            loaded.run([Ref("t")], {Ref("s"): tensors.from_array(prepared.noise(2))})
        with pytest.raises(Failed, match="the tensor nothing:0 does not exist"):
            loaded.run([Ref("nothing")], {})
        with pytest.raises(Failed, match="the tensor y:1 does not exist"):
            loaded.run([Ref("y", 1)], {})
    graph.nodes[0].op = "NoSuchOp"
    with pytest.raises(Failed, match="NoSuchOp"), evaluator.loaded(graph):
        pass


def _fill(count: int) -> Graph:
    return prepared.drawn(lambda: tf.fill([count], 1.0, name="y"))


@pytest.mark.parametrize("onednn", extent.some(("0", "1"), "0"))
def test_memory_is_bounded(onednn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The allocator of oneDNN waits 10 s for memory before it fails."""
    monkeypatch.setitem(full_tensorflow.SETTINGS, "TF_ENABLE_ONEDNN_OPTS", onednn)
    with (
        Evaluator() as own,
        pytest.raises((InvalidInput, Failed)) as refused,
        own.loaded(_fill(1 << 40)) as loaded,
    ):
        loaded.run([Ref("y")], {})
    assert any(text in str(refused.value) for text in ("OOM", "ended with status", "alloc"))


def test_it_restarts_after_its_end() -> None:
    with Evaluator() as own:
        assert "Relu" in own.op_defs
        own._process.kill()  # type: ignore[union-attr]
        with pytest.raises(InvalidInput, match="TensorFlow's process ended with status -9"):
            own.request(OpListRequest())
        with own.loaded(_fill(3)) as loaded:
            _check_ones(loaded, 3)


def test_a_kept_graph_is_loaded_once_for_each_process() -> None:
    graph, other = _fill(3), _fill(2)
    with Evaluator() as own:
        kept = own.kept(graph)
        assert own.kept(_fill(3)) is kept
        assert own.kept(other) is not kept
        _check_ones(kept, 3)
        _check_ones(own.kept(other), 2)
        own.close()
        _check_ones(own.kept(graph), 3)
        graph.nodes[0].op = "NoSuchOp"
        for _ in range(2):
            with pytest.raises(Failed, match="NoSuchOp"):
                own.kept(graph)


def _check_ones(graph: evaluator.Loaded, count: int) -> None:
    (y,) = graph.run([Ref("y")], {})
    assert tensors.to_array(y, "y").tolist() == [1] * count


def test_it_ends_with_the_block() -> None:
    with Evaluator() as own:
        own.request(OpListRequest())
        process = own._process
    assert process is not None
    assert isinstance(process, subprocess.Popen)
    assert process.returncode == 0


def test_tensorflow_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> importlib.machinery.ModuleSpec | None:
        assert name == "tensorflow"
        return None

    assert evaluator.libraries().is_dir()
    monkeypatch.setattr(importlib.util, "find_spec", none)
    with pytest.raises(
        InvalidInput, match=r"tensorflow is not installed in .*tfcarve\[tensorflow\]"
    ):
        evaluator.libraries()


def test_strings_are_sent_with_their_lengths() -> None:
    tensor = tensors.from_array(np.array([b"a\0b"], object))
    assert evaluator._content(tensor, "n") == b"\x03" + bytes(7) + b"a\0b"
