"""Tests of `tfcarve calibrate`: ranges as TensorFlow computes them, messages, and that a failure writes nothing."""

import json
import sys
from pathlib import Path

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array, tf1

import extent
from tfcarve import cli
from tfcarve.prepare.calibrate import session
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.digest import digest
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.quantize import ranges
from tfcarve.prepare.quantize.ranges import Ranges

pytestmark = pytest.mark.usefixtures("reused")

_X = prepared.noise(5, 1, 6, 6, 4)


def _net(batch: int | None = 1) -> None:
    x = tf1.placeholder(tf.float32, (batch, 6, 6, 4), name="x")
    y = tf.nn.conv2d(x, prepared.noise(3, 3, 4, 8), 2, "SAME", name="conv")
    four = [tf.constant(np.abs(prepared.noise(8)) + 0.5) for _ in range(4)]
    y, *_ = tf1.nn.fused_batch_norm(y, *four, is_training=False, name="norm")
    y = tf.nn.relu(y, name="relu")
    tf.nn.softmax(tf.reduce_mean(y, (1, 2)), name="y")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    graph_file.write_graph(Path("m.pb"), prepared.drawn(_net))
    np.savez("x.npz", x=_X)


def _run(*arguments: str) -> int:
    return cli.main(["calibrate", *arguments])


def _read(path: str = "r.json") -> Ranges:
    return ranges.read(Path(path))


def _ends(graph: Graph, tensor: str, fed: Array = _X) -> tuple[float, float]:
    values = np.array([prepared.ran(graph, {"x": sample}, [tensor])[0] for sample in fed])
    return min(0.0, float(values.min())), max(0.0, float(values.max()))


def test_ranges_are_those_of_the_prepared_graph(
    evaluator: Evaluator, capsys: pytest.CaptureFixture[str]
) -> None:
    """The batch normalization is folded into the weights, so the convolution has other values than in the model."""
    assert _run("m.pb", "--data", "x.npz", "-o", "r.json") == 0
    assert capsys.readouterr().out == "4 ranges from 5 samples\n"
    found = _read()
    assert (found.method, found.percentile, found.samples) == ("minmax", None, 5)
    assert [each.tensor for each in found.ranges] == ["conv", "norm", "relu", "x"]
    mobile = prepared.transformed(prepared.drawn(_net), "fold_old_batch_norms", evaluator)
    for each in found.ranges:
        assert (each.low, each.high) == pytest.approx(_ends(mobile, each.tensor), rel=1e-5)
    source = graph_file.read_graph(Path("m.pb"))
    assert _ends(source, "conv") != pytest.approx(_ends(mobile, "conv"), rel=1e-2)
    assert found.model_sha256 == digest(source)


def test_means_are_those_of_what_nodes_with_weights_read() -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (1, 6, 6, 4), name="x")
        y = tf.nn.relu(tf.nn.conv2d(x, prepared.noise(3, 3, 4, 8), 1, "SAME", name="conv"))
        y = tf.nn.conv2d(y, prepared.noise(3, 3, 8, 8), 1, "SAME", dilations=2, name="dilated")
        z = tf.nn.relu(tf.reshape(y, (-1, 8)), name="flat")
        tf.matmul(z, tf.matmul(z, z, transpose_a=True), name="y")
        tf.matmul(z, prepared.noise(8, 3), name="z")

    graph = prepared.drawn(draw)
    graph_file.write_graph(Path("m.pb"), graph)
    words = ("m.pb", "--data", "x.npz", "-o", "r.json", "--outputs", "y,z")
    assert _run(*words) == 0
    found = {each.node: each.means for each in _read().means}
    assert found.keys() == {"conv", "dilated", "z"}
    for node, tensor in (("conv", "x"), ("dilated", "Relu"), ("z", "flat")):
        values = [prepared.ran(graph, {"x": x}, [tensor])[0] for x in _X]
        flat = np.concatenate(values).reshape(-1, values[0].shape[-1])
        assert found[node] == pytest.approx(flat.astype(np.float64).mean(0), rel=1e-5)


def test_as_is() -> None:
    assert _run("m.pb", "--data", "x.npz", "-o", "r.json", "--as-is") == 0
    found = _read().by_tensor()
    source = graph_file.read_graph(Path("m.pb"))
    assert (found["conv"].low, found["conv"].high) == pytest.approx(_ends(source, "conv"))
    assert found.keys() == {"x", "conv", "relu", "norm"}


def test_several_files_and_methods() -> None:
    np.savez("a.npz", x=_X[:2])
    np.savez("b.npz", x=_X[2] * 3)
    words = ("m.pb", "--data", "a.npz", "--data", "b.npz", "-o")
    assert _run(*words, "minmax.json") == 0
    found = _read("minmax.json")
    assert found.samples == 3
    largest = found.by_tensor()["x"].high
    assert largest == max(_X[:2].max(), (_X[2] * 3).max())
    assert _run(*words, "p.json", "--method", "percentile", "--percentile", "80") == 0
    assert (_read("p.json").method, _read("p.json").percentile) == ("percentile", 80)
    assert 0 < _read("p.json").by_tensor()["x"].high < 0.8 * largest
    assert _run(*words, "e.json", "--method", "entropy") == 0
    assert 0 < _read("e.json").by_tensor()["x"].high <= largest
    assert _run(*words, "again.json") == 0
    assert Path("again.json").read_bytes() == Path("minmax.json").read_bytes()


def test_ranges_of_a_quantized_graph(evaluator: Evaluator) -> None:
    """The ranges of RequantizationRange are those that the node computes."""
    quantized = prepared.transformed(prepared.drawn(_net), "quantize_nodes", evaluator)
    graph_file.write_graph(Path("q.pb"), quantized)
    assert _run("q.pb", "--data", "x.npz", "-o", "r.json") == 0
    found = _read().by_tensor()
    names = [node.name for node in quantized.nodes if node.op == "RequantizationRange"]
    assert len(names) == 1
    outputs = [prepared.ran(quantized, {"x": x}, [f"{names[0]}:0", f"{names[0]}:1"]) for x in _X]
    low, high = min(o[0] for o in outputs), max(o[1] for o in outputs)
    assert (found[names[0]].low, found[names[0]].high) == pytest.approx((low, high), rel=1e-4)


def test_trained_ranges_are_placed_as_in_quantize_nodes() -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (1, 6, 6, 4), name="x")
        y = tf.nn.relu(tf.nn.conv2d(x, prepared.noise(3, 3, 4, 8), 2, "SAME", name="conv"))
        tf.quantization.fake_quant_with_min_max_vars(y, 0, 6, name="fake")
        tf.identity("fake:0", name="y")

    graph_file.write_graph(Path("m.pb"), prepared.drawn(draw))
    assert _run("m.pb", "--data", "x.npz", "-o", "r.json", "--as-is") == 0
    assert {each.tensor for each in _read().ranges} == {"x", "conv", "fake", "fake_hoisted"}


def test_loops_and_branches_have_no_ranges() -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (4, 4), name="x")
        weights = tf.constant(prepared.noise(4, 4))

        def body(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return i + 1, tf.matmul(y, weights, name="inside")

        with tf1.variable_scope("v"):
            _, y = tf1.while_loop(lambda i, _: i < 3, body, (0, x))
        y = tf1.cond(tf.reduce_sum(y) > 0, lambda: tf.matmul(y, weights), lambda: y)
        tf.matmul(y, weights, name="y")

    tf1.disable_control_flow_v2()
    try:
        graph = prepared.drawn(draw)
    finally:
        tf1.enable_control_flow_v2()
    assert {"Switch", "Merge", "Enter"} <= prepared.ops(graph).keys()
    graph_file.write_graph(Path("m.pb"), graph)
    np.savez("x.npz", x=prepared.noise(4, 4))
    assert _run("m.pb", "--data", "x.npz", "-o", "r.json") == 0
    assert [each.tensor for each in _read().ranges] == ["cond/Merge", "y"]


def test_a_new_process_before_the_time_limit(
    own_processes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez("x.npz", x=_X[: extent.of(3, 5)])
    assert _run("m.pb", "--data", "x.npz", "-o", "one.json") == 0
    monkeypatch.setattr(session, "_SECONDS", 0.0)
    assert _run("m.pb", "--data", "x.npz", "-o", "several.json") == 0
    assert Path("one.json").read_bytes() == Path("several.json").read_bytes()


def _float_model() -> None:
    graph_file.write_graph(
        Path("m.pb"),
        prepared.drawn(lambda: tf.exp(tf1.placeholder(tf.float32, (2,), name="x"), name="y")),
    )
    np.savez("x.npz", x=np.zeros(2, np.float32))


def _overflow() -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (1, 2), name="x")
        tf.matmul(tf.exp(x, name="exp"), prepared.noise(2, 2), name="y")

    graph_file.write_graph(Path("m.pb"), prepared.drawn(draw))
    np.savez("x.npz", x=np.array([[[0, 0]], [[500, 0]]], np.float32))


def _not_finite() -> None:
    np.savez("x.npz", x=np.full((1, 6, 6, 4), np.nan, np.float32))


def _empty() -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (None, 4), name="x")
        tf.matmul(x, prepared.noise(4, 2), name="y")

    graph_file.write_graph(Path("m.pb"), prepared.drawn(draw))
    np.savez("x.npz", x=np.zeros((0, 4), np.float32))


def _fails() -> None:
    def draw() -> None:
        x = tf1.placeholder(tf.float32, (None, 4), name="x")
        tf.matmul(tf.reshape(x, (2, 2)), prepared.noise(2, 2), name="y")

    graph_file.write_graph(Path("m.pb"), prepared.drawn(draw))
    np.savez("x.npz", x=np.zeros((2, 4), np.float32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_float_model, "m.pb: there is no node that quantize_nodes replaces: nothing to calibrate"),
        (
            _overflow,
            "x.npz: sample 1: tensor 'exp' has a value that is not finite: it has no range",
        ),
        (_not_finite, "x.npz: array 'x' has a value that is not finite"),
        (_empty, "m.pb: tensor 'x' is empty on all samples: add other samples"),
        (_fails, "x.npz: sample 0: TensorFlow cannot run the model on it: "),
        (lambda: np.savez("x.npz", z=_X), "x.npz: array 'z' matches no input"),
        (lambda: np.savez("x.npz", x=_X.astype(np.float64)), "x.npz: array 'x' is of type float64"),
        (lambda: np.savez("x.npz", x=_X[0, 0]), r"x.npz: array 'x' has the shape \[6, 6, 4\]"),
        (lambda: Path("x.npz").unlink(), "x.npz: no such file"),
    ],
)
def test_bad_input(change: object, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert callable(change)
    change()
    assert _run("m.pb", "--data", "x.npz", "-o", "r.json") == 2
    error = capsys.readouterr().err
    assert message.replace("\\", "") in error, error
    assert not Path("r.json").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--percentile", "99"), "--percentile requires --method percentile"),
        (("--method", "percentile", "--percentile", "49"), "--percentile 49: expected a number"),
        (("--outputs", "z"), "m.pb: output 'z' is not a node of the graph"),
        (("--library", "m.pb"), "m.pb: not an ELF file"),
        (("--library", "none.so"), "none.so: no such file"),
        (("--library", sys.executable), "expected a carved library for this machine"),
    ],
)
def test_bad_arguments(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("m.pb", "--data", "x.npz", "-o", "r.json", *words) == 2
    assert message in capsys.readouterr().err
    assert not Path("r.json").exists()


def test_the_document_is_sorted() -> None:
    assert _run("m.pb", "--data", "x.npz", "-o", "r.json") == 0
    names = [row["tensor"] for row in json.loads(Path("r.json").read_bytes())["ranges"]]
    assert names == sorted(names)
