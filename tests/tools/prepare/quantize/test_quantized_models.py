"""The preset int8 on whole models of tf.keras.applications, with small pictures and random weights."""

from pathlib import Path
from typing import Any

import numpy as np
import prepared
import pytest
import tensorflow as tf

import extent
from models import frozen
from tfcarve import cli
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, by_name, data_inputs
from tfcarve.prepare.graph.messages import NodeDef

pytestmark = pytest.mark.usefixtures("reused")

_APPLICATIONS = {
    "inception_v3": (tf.keras.applications.InceptionV3, 75, 2366),
    "mobilenet_v2": (tf.keras.applications.MobileNetV2, 32, 1400),
    "resnet_50": (tf.keras.applications.ResNet50, 32, 1800),
}
_PASSING = {"Identity", "Pad", "PadV2", "Reshape", "Squeeze"}
_ENDS = ("--inputs", frozen.INPUT, "--outputs", frozen.OUTPUT)


def _model(name: str) -> Any:
    create, size, _ = _APPLICATIONS[name]
    frozen.seeded()
    model = create(weights=None, input_shape=(size, size, 3), classes=50)
    drawn = np.random.default_rng(frozen.SEED)
    for layer in model.layers:
        if isinstance(layer, tf.keras.layers.BatchNormalization):
            layer.set_weights([drawn.uniform(0.7, 1.3, w.shape) for w in layer.weights])
    return model


@pytest.fixture(
    name="folder", scope="module", params=extent.some(sorted(_APPLICATIONS), "mobilenet_v2")
)
def _folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder, named like the model, with a model and samples."""
    folder = tmp_path_factory.mktemp(request.param, numbered=False)
    graph = frozen.freeze(_model(request.param))
    (folder / "model.pb").write_bytes(graph.SerializeToString(deterministic=True))
    size = _APPLICATIONS[request.param][1]
    samples = np.random.default_rng(3).uniform(-1, 1, (6, 1, size, size, 3)).astype(np.float32)
    np.savez(folder / "samples.npz", **{frozen.INPUT: samples})
    words = ("--data", str(folder / "samples.npz"), "-o", str(folder / "ranges.json"))
    assert cli.main(["calibrate", str(folder / "model.pb"), *words, *_ENDS]) == 0
    return folder


def _quantized(folder: Path, *words: str) -> Graph:
    output = folder / f"int8{''.join(words)}.pb"
    # The tests of a model read the same file.
    if not output.exists():
        files = (str(folder / "model.pb"), "-o", str(output))
        ranges = ("--ranges", str(folder / "ranges.json"))
        assert cli.main(["transform", *files, *_ENDS, "--preset", "int8", *ranges, *words]) == 0
    return graph_file.read_graph(output)


def _origins(node: NodeDef, graph: Graph) -> set[str]:
    """Returns the ops of the nodes from which the values of a node's first input come unchanged."""
    known = by_name(graph)
    above = known[data_inputs(node)[0].node]
    while above.op in _PASSING:
        above = known[data_inputs(above)[0].node]
    return {above.op}


def _check_sequences(graph: Graph) -> None:
    for node in graph.nodes:
        if node.op == "QuantizeV2":
            assert "Dequantize" not in _origins(node, graph), node.name


def test_sequences_stay_quantized(folder: Path) -> None:
    graph = _quantized(folder)
    _check_sequences(graph)
    ops = prepared.ops(graph)
    assert {"RequantizationRange", "Min", "Max", "Conv2D", "MatMul"}.isdisjoint(ops)
    assert ops["QuantizedConv2D"] > 30
    assert len(graph.nodes) < _APPLICATIONS[folder.name][2]
    size = (folder / "model.pb").stat().st_size
    assert (folder / "int8.pb").stat().st_size < 0.27 * size


def test_a_pair_is_found(folder: Path) -> None:
    graph = _quantized(folder)
    name = next(node.name for node in graph.nodes if node.op == "Dequantize")
    graph.nodes.append(NodeDef(name="again", op="QuantizeV2", input=[name]))
    with pytest.raises(AssertionError, match="again"):
        _check_sequences(graph)


def test_outputs_are_those_of_the_model(folder: Path) -> None:
    graphs = [graph_file.read_graph(folder / "model.pb"), _quantized(folder)]
    with np.load(folder / "samples.npz") as samples:
        for sample in samples[frozen.INPUT]:
            wanted, found = (
                prepared.ran(g, {frozen.INPUT: sample}, [frozen.OUTPUT])[0] for g in graphs
            )
            assert np.isfinite(found).all()
            assert np.abs(wanted - found).max() < 0.02


def test_depthwise_convolutions_are_quantized(folder: Path) -> None:
    ops = prepared.ops(_quantized(folder))
    assert ops["QuantizedDepthwiseConv2D"] == (17 if folder.name == "mobilenet_v2" else 0)
    assert ops["DepthwiseConv2dNative"] == 0


def _draw_both_kinds() -> None:
    """A depthwise convolution of values around 0, which stays float, and a convolution."""
    y = tf.compat.v1.placeholder(tf.float32, (1, 8, 8, 4), name=frozen.INPUT)
    y = tf.nn.depthwise_conv2d(y, prepared.noise(3, 3, 4, 1), (1, 1, 1, 1), "SAME")
    y = tf.nn.relu(tf.nn.bias_add(y, prepared.noise(4)))
    y = tf.nn.conv2d(y, prepared.noise(3, 3, 4, 8), 1, "SAME")
    tf.reduce_mean(y, (1, 2), name=frozen.OUTPUT)


def test_fuse_applies_to_what_stays_float(tmp_path: Path) -> None:
    graph_file.write_graph(tmp_path / "model.pb", prepared.drawn(_draw_both_kinds))
    samples = np.random.default_rng(3).uniform(-1, 1, (1, 8, 8, 4)).astype(np.float32)
    np.savez(tmp_path / "samples.npz", **{frozen.INPUT: samples})
    words = ("--data", str(tmp_path / "samples.npz"), "-o", str(tmp_path / "ranges.json"))
    assert cli.main(["calibrate", str(tmp_path / "model.pb"), *words, *_ENDS]) == 0
    assert "DepthwiseConv2dNative" in prepared.ops(_quantized(tmp_path))
    ops = prepared.ops(_quantized(tmp_path, "--fuse"))
    assert (ops["_FusedConv2D"], ops["QuantizedConv2D"]) == (1, 1)
