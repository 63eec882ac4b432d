"""A model with quantized nodes runs in its library on each Linux platform: its output is full TensorFlow's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tfcarve import full_tensorflow

# oneDNN's QuantizeV2 rounds differently.
os.environ.update({**full_tensorflow.SETTINGS, "TF_ENABLE_ONEDNN_OPTS": "0"})

import numpy as np
import pytest
import tensorflow as tf

from demo.nested import Workspace
from e2e import app_workspace, releases
from models import frozen
from tfcarve.cli import main

_PACKAGE = "quantized"
_SHAPE = (1, 13, 13, 3)
_CLASSES = 7
_FLAGS = ("--test_output=errors", "--noshow_progress")


def _filtered(image: Any, drawn: np.random.Generator, size: int, count: int, stride: int) -> Any:
    depth = image.shape[-1]
    shape = (size, size, depth, count)
    weights = drawn.normal(0, 1 / (size * np.sqrt(depth)), shape).astype(np.float32)
    filtered = tf.nn.conv2d(image, weights, stride, "SAME")
    biased = tf.nn.bias_add(filtered, drawn.normal(0, 0.1, count).astype(np.float32))
    return tf.nn.relu(biased)


def _graph() -> Any:
    """Convolutions with borders and strides, pooling, concatenation and a product."""
    drawn = np.random.default_rng(frozen.SEED)
    with tf.Graph().as_default() as graph:
        image = tf.compat.v1.placeholder(tf.float32, _SHAPE, name=frozen.INPUT)
        first = _filtered(image, drawn, 3, 16, 2)
        joined = tf.concat(
            [
                _filtered(first, drawn, 1, 24, 1),
                _filtered(first, drawn, 3, 40, 1),
                tf.nn.avg_pool2d(first, 3, 1, "SAME"),
            ],
            3,
        )
        pooled = tf.reshape(tf.nn.max_pool2d(joined, 2, 2, "VALID"), [1, -1])
        weights = drawn.normal(0, 0.1, (pooled.shape[1], _CLASSES)).astype(np.float32)
        tf.nn.softmax(tf.matmul(pooled, weights), name=frozen.OUTPUT)
    return graph.as_graph_def()


def _write(folder: Path) -> dict[str, Path]:
    """Writes the files of the package that its BUILD file names."""
    source, quantized = folder / "source.pb", folder / "quantized.pb"
    source.write_bytes(_graph().SerializeToString(deterministic=True))
    command = ["transform", str(source), "-o", str(quantized), "--outputs", frozen.OUTPUT]
    assert main([*command, "--transforms", "quantize_nodes"]) == 0
    image = frozen.image(_SHAPE)
    np.save(folder / "input.npy", image)
    np.savez(folder / "samples.npz", **{frozen.INPUT: image})
    for file, name in ((source, "float"), (quantized, "output")):
        graph = tf.compat.v1.GraphDef.FromString(file.read_bytes())
        (output,) = frozen.run(graph, {frozen.INPUT: image}, [frozen.OUTPUT])
        np.save(folder / f"{name}.npy", output)
    names = ("source.pb", "input.npy", "samples.npz", "float.npy", "output.npy")
    return {name: folder / name for name in names}


@pytest.fixture(name="app", scope="module")
def _app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        workspace.place(_PACKAGE, _write(tmp_path_factory.mktemp("files")), "*.np[yz]")
        yield workspace


def test_ops_are_quantized(app: Workspace) -> None:
    (file,) = app.build([f"//{_PACKAGE}:model"]).files(f"//{_PACKAGE}:model")
    graph = tf.compat.v1.GraphDef.FromString(file.read_bytes())
    # The range of an input is measured with a Reshape.
    ops = {node.op for node in graph.node if not node.name.endswith("_eightbit/reshape")}
    for kind in ("AvgPool", "BiasAdd", "Concat", "Conv2D", "MatMul", "MaxPool", "Relu", "Reshape"):
        assert f"Quantized{kind}" in ops
        assert kind not in ops


@pytest.mark.parametrize("platform", releases.PLATFORMS)
def test_output_is_full_tensorflows(app: Workspace, platform: str) -> None:
    done = app.bazel(["test", *_FLAGS, f"//{_PACKAGE}:model_test_{platform}"])
    assert done.returncode == 0, done.stdout


def test_float_output_is_refused(app: Workspace) -> None:
    """The control: quantization changes the output."""
    done = app.bazel(["test", *_FLAGS, f"//{_PACKAGE}:model_test_float"])
    assert done.returncode == 3, done.stdout
    assert "output" in done.stdout
