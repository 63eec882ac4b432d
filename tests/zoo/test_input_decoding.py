"""Graphs that decode files: without the decoding they need fewer ops and compute the same outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import tensorflow as tf
from tensorflow.python.ops import gen_audio_ops as audio_ops
from tensorflow.python.tools.strip_unused_lib import strip_unused

from tfcarve.selection.selection import Leftover
from zoo import cached
from zoo.selecting import selected

_V1 = tf.compat.v1
_KIND = "input decoding"


def _written(graph: Any, folder: Path) -> Path:
    file = folder / f"{len(graph.node)}_nodes.pb"
    file.write_bytes(graph.SerializeToString())
    return file


def _leftovers(model: Path) -> list[Leftover]:
    return [left for left in selected(model).leftovers if left.kind == _KIND]


def _ops(model: Path) -> set[str]:
    return {op.name for op in selected(model).ops}


def _run(graph: Any, output: str, fed: dict[str, Any]) -> Any:
    with tf.Graph().as_default(), _V1.Session() as session:
        tf.import_graph_def(graph, name="")
        return session.run(output, fed)


def _pictures() -> Any:
    """Returns a small graph with the structure of TensorFlow 1's Inception."""
    with tf.Graph().as_default() as graph:
        contents = _V1.placeholder(tf.string, [], "contents")
        floats = tf.cast(tf.io.decode_jpeg(contents, channels=3), tf.float32)
        resized = _V1.image.resize_bilinear(tf.expand_dims(floats, 0), [8, 8], name="resized")
        filters = tf.constant(numpy.ones((3, 3, 3, 2), numpy.float32) / 27)
        tf.nn.relu(tf.nn.conv2d((resized - 128.0) / 128.0, filters, 1, "SAME"), name="output")
    return graph.as_graph_def()


def test_pictures(tmp_path: Path) -> None:
    graph = _pictures()
    model = _written(graph, tmp_path)
    found = _leftovers(model)
    decoding = {"Cast", "DecodeJpeg", "ExpandDims", "ResizeBilinear"}
    assert {left.op for left in found if left.alone} == decoding
    (transform,) = {left.transform for left in found}
    assert "tfcarve transform MODEL --inputs resized --outputs" in transform

    stripped = strip_unused(graph, ["resized"], ["output"], tf.float32.as_datatype_enum)
    assert _ops(_written(stripped, tmp_path)) == _ops(model) - decoding
    picture = numpy.random.default_rng(1).integers(0, 256, (9, 7, 3)).astype(numpy.uint8)
    encoded = tf.io.encode_jpeg(picture).numpy()
    batch = tf.cast(tf.io.decode_jpeg(encoded), tf.float32)[tf.newaxis]
    resized = _V1.image.resize_bilinear(batch, [8, 8]).numpy()
    numpy.testing.assert_array_equal(
        _run(stripped, "output:0", {"resized:0": resized}),
        _run(graph, "output:0", {"contents:0": encoded}),
    )


def test_sounds(tmp_path: Path) -> None:
    """Two tensors must be fed: the spectrogram reads the samples, and the MFCC reads the sample rate."""
    with tf.Graph().as_default() as graph:
        samples, rate = tf.audio.decode_wav(_V1.placeholder(tf.string, [], "wav"), name="decoded")
        spectrogram = audio_ops.audio_spectrogram(samples, 256, 128)
        audio_ops.mfcc(spectrogram, rate, name="output")
    model = _written(graph.as_graph_def(), tmp_path)
    found = _leftovers(model)
    assert {left.op for left in found if left.alone} == {"DecodeWav"}
    (transform,) = {left.transform for left in found}
    assert "tfcarve freeze MODEL --inputs decoded,decoded:1 --outputs" in transform

    with tf.Graph().as_default() as imported:
        fed = {
            "decoded:0": _V1.placeholder(tf.float32, [None, None], "samples"),
            "decoded:1": _V1.placeholder(tf.int32, [], "rate"),
        }
        tf.import_graph_def(graph.as_graph_def(), input_map=fed, name="")
    stripped = _V1.graph_util.extract_sub_graph(imported.as_graph_def(), ["output"])
    assert _ops(_written(stripped, tmp_path)) == _ops(model) - {"DecodeWav"}
    wave = numpy.sin(numpy.arange(2048, dtype=numpy.float32) / 9)[:, numpy.newaxis]
    encoded = tf.audio.encode_wav(wave, 8000).numpy()
    decoded = tf.audio.decode_wav(encoded).audio.numpy()
    numpy.testing.assert_array_equal(
        _run(stripped, "output:0", {"samples:0": decoded, "rate:0": 8000}),
        _run(graph.as_graph_def(), "output:0", {"wav:0": encoded}),
    )


def test_graph_without_decoding() -> None:
    """Negative control."""
    assert not _leftovers(cached.load("detector").model)
