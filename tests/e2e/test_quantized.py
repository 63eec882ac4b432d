"""Models with quantized nodes run in their library on each Linux platform: their outputs are full TensorFlow's."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tfcarve import full_tensorflow

# oneDNN's QuantizeV2 rounds differently.
os.environ.update({**full_tensorflow.SETTINGS, "TF_ENABLE_ONEDNN_OPTS": "0"})

import numpy as np
import pytest
import tensorflow as tf

from built import published
from e2e.builds import app_workspace, built_libraries
from models import frozen
from tfcarve.app.workspace import Workspace
from tfcarve.cli import main
from tfcarve.prepare.quantize import ranges

_PACKAGE = "quantized"
_SHAPE = (1, 13, 13, 3)
_CLASSES = 7
# The files that the package's BUILD file names.
_NAMES = (
    *("source.pb", "input.npy", "samples.npz", "float.npy", "output.npy"),
    *("separable.pb", "separable.npy", "separable_float.npy"),
)
_LIBRARY = "libtensorflow-core.so"
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


def _separable_graph() -> Any:
    """A convolution, a depthwise one with a border and a stride, one with two filters for each channel, and a product."""
    drawn = np.random.default_rng(frozen.SEED)
    with tf.Graph().as_default() as graph:
        y = tf.compat.v1.placeholder(tf.float32, _SHAPE, name=frozen.INPUT)
        y = tf.nn.relu6(_filtered(y, drawn, 3, 20, 1))
        for size, times, stride in ((3, 1, 2), (2, 2, 1)):
            shape = (size, size, y.shape[-1], times)
            filters = drawn.normal(0, 1 / size, shape).astype(np.float32)
            y = tf.nn.depthwise_conv2d(y, filters, (1, stride, stride, 1), "SAME")
            y = tf.nn.relu6(tf.nn.bias_add(y, drawn.normal(0, 0.1, y.shape[-1]).astype(np.float32)))
        tf.reduce_mean(_filtered(y, drawn, 1, _CLASSES, 1), (1, 2), name=frozen.OUTPUT)
    return graph.as_graph_def()


def _write_separable(folder: Path) -> None:
    """Writes a model that the preset int8 quantized with ranges, and its output in TensorFlow with oneDNN."""
    source, quantized = folder / "separable_source.pb", folder / "separable.pb"
    ranges, output = folder / "ranges.json", folder / "separable.npy"
    source.write_bytes(_separable_graph().SerializeToString(deterministic=True))
    options = ["--outputs", frozen.OUTPUT]
    samples = ["--data", str(folder / "samples.npz")]
    assert main(["calibrate", str(source), *samples, "-o", str(ranges), *options]) == 0
    preset = ["--preset", "int8", "--ranges", str(ranges)]
    assert main(["transform", str(source), "-o", str(quantized), *options, *preset]) == 0
    fed = f"{frozen.INPUT}={folder / 'input.npy'}"
    written = f"{frozen.OUTPUT}={output}"
    assert main(["golden", str(quantized), "--input", fed, "--output", written]) == 0


def _image() -> Any:
    """Returns multiples of 1/255 from 0 to 1, which oneDNN's QuantizeV2 and TensorFlow's round to the same numbers."""
    image = np.rint((frozen.image(_SHAPE) + 1) / 2 * 255) / 255
    image.flat[:2] = 0, 1
    return image.astype(np.float32)


def _write(folder: Path) -> None:
    source, quantized = folder / "source.pb", folder / "quantized.pb"
    source.write_bytes(_graph().SerializeToString(deterministic=True))
    command = ["transform", str(source), "-o", str(quantized), "--outputs", frozen.OUTPUT]
    assert main([*command, "--transforms", "quantize_nodes"]) == 0
    image = _image()
    np.save(folder / "input.npy", image)
    np.savez(folder / "samples.npz", **{frozen.INPUT: image})
    _write_separable(folder)
    for file, name in (
        (source, "float"),
        (quantized, "output"),
        (folder / "separable_source.pb", "separable_float"),
    ):
        graph = tf.compat.v1.GraphDef.FromString(file.read_bytes())
        (output,) = frozen.run(graph, {frozen.INPUT: image}, [frozen.OUTPUT])
        np.save(folder / f"{name}.npy", output)


@pytest.fixture(name="files", scope="module")
def _files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the files of the package, and the models that only the tests read."""
    folder = tmp_path_factory.mktemp("files")
    _write(folder)
    return folder


@pytest.fixture(name="app", scope="module")
def _app(files: Path) -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        named = {name: files / name for name in _NAMES}
        workspace.place(_PACKAGE, named, "*.np[yz]")
        yield workspace


def test_ops_are_quantized(app: Workspace) -> None:
    (file,) = app.build([f"//{_PACKAGE}:model"]).files(f"//{_PACKAGE}:model")
    graph = tf.compat.v1.GraphDef.FromString(file.read_bytes())
    # The range of an input is measured with a Reshape.
    ops = {node.op for node in graph.node if not node.name.endswith("_eightbit/reshape")}
    for kind in ("AvgPool", "BiasAdd", "Concat", "Conv2D", "MatMul", "MaxPool", "Relu", "Reshape"):
        assert f"Quantized{kind}" in ops
        assert kind not in ops


def test_depthwise_convolutions_are_quantized(files: Path) -> None:
    graph = tf.compat.v1.GraphDef.FromString((files / "separable.pb").read_bytes())
    ops = Counter(node.op for node in graph.node)
    assert (ops["QuantizedDepthwiseConv2D"], ops["DepthwiseConv2dNative"]) == (2, 0)


@pytest.mark.parametrize("platform", built_libraries.PLATFORMS)
@pytest.mark.parametrize("model", ["model", "separable"])
def test_output_is_full_tensorflows(app: Workspace, model: str, platform: str) -> None:
    done = app.bazel(["test", *_FLAGS, f"//{_PACKAGE}:{model}_test_{platform}"])
    assert done.returncode == 0, done.stdout


def _calibrate(files: Path, written: Path, *options: str) -> int:
    command = ["calibrate", str(files / "source.pb"), "--data", str(files / "samples.npz")]
    return main([*command, "-o", str(written), "--outputs", frozen.OUTPUT, *options])


def _calibrated(files: Path, written: Path, *options: str) -> dict[str, tuple[float, float]]:
    assert _calibrate(files, written, *options) == 0
    return {each.tensor: (each.low, each.high) for each in ranges.read(written).ranges}


def test_a_carved_library_measures_the_same_ranges(
    app: Workspace, files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared, library = "//shared:library", f"//{_PACKAGE}:library"
    carved = published.of("shared").named(shared)[_LIBRARY]
    quantized = app.build([library]).named(library)[_LIBRARY]
    full = _calibrated(files, tmp_path / "full.json")
    found = _calibrated(files, tmp_path / "found.json", "--library", str(carved))
    assert found.keys() == full.keys()
    for tensor, ends in full.items():
        assert found[tensor] == pytest.approx(ends, rel=1e-5, abs=1e-6)
    # The control: the other library has no kernels for floats, so it did run the samples.
    refused = tmp_path / "refused.json"
    assert _calibrate(files, refused, "--library", str(quantized)) == 2
    assert "Conv2D" in capsys.readouterr().err
    assert not refused.exists()


@pytest.mark.parametrize("model", ["model", "separable"])
def test_float_output_is_refused(app: Workspace, model: str) -> None:
    """The control: quantization changes the output."""
    done = app.bazel(["test", *_FLAGS, f"//{_PACKAGE}:{model}_test_float"])
    assert done.returncode == 3, done.stdout
    assert "output" in done.stdout
