"""Damaged graphs raise InvalidInput or are transformed, in memory proportional to their size."""

import contextlib
from pathlib import Path

import means
import prepared
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from prepared import tf1

import extent
from tfcarve.errors import InvalidInput
from tfcarve.prepare import transforms
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file, nodes
from tfcarve.prepare.graph.graph import Graph, consumer_counts
from tfcarve.prepare.pipeline import pipeline
from tfcarve.prepare.pipeline.transform_list import Step

_PATH = Path("m.pb")
_CASES = extent.of(60, 500)
_PARAMETERS = {
    "quantize_placeholders": {"input_min": ("0",), "input_max": ("1",)},
    "quantize_weights": {"minimum_size": ("1",), "per_channel": ("true",)},
    "remove_nodes": {"op": ("Identity",)},
}


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [1, 4, 4, 2], name="x")
    created = tf.nn.conv2d(
        tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]), prepared.noise(3, 3, 2, 4), 1, "VALID"
    )
    created = tf1.nn.fused_batch_norm(
        tf.nn.bias_add(created, prepared.noise(4)),
        *(abs(prepared.noise(4)) for _ in range(4)),
        is_training=False,
    )[0]
    with tf1.control_dependencies([tf.group(tf.identity(x))]):
        ids = tf.zeros((1, 4, 4), tf.int32)
        created += tf.gather(prepared.noise(3, 1), ids)
        tf.concat([created * 2.0, created + prepared.noise(4)], 3, name="y")


_SEED = graph_file.to_bytes(prepared.drawn(_draw))


@st.composite
def _damaged(draw: st.DrawFn) -> bytes:
    data = _SEED
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 8)))
        data = data[:start] + draw(st.binary(max_size=8)) + data[end:]
    return data


@pytest.fixture(name="ranges", scope="module")
def _ranges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with means for the convolution."""
    path = tmp_path_factory.mktemp("ranges") / "ranges.json"
    path.write_bytes(means.document("Conv2D", (0.5, -2.0)))
    return path


def _step(name: str, ranges: Path) -> Step:
    if name == "correct_biases":
        return Step(name, {"ranges": (str(ranges),), "minimum_size": ("1",)})
    return Step(name, _PARAMETERS.get(name, {}))


def _transformed(graph: Graph, ranges: Path) -> None:
    for node in graph.nodes:
        if node.op == "Const":
            with contextlib.suppress(InvalidInput):
                nodes.value(node)
    outputs = [n.name for n in graph.nodes if n.name not in consumer_counts(graph)]
    evaluator = Evaluator()
    steps = [
        _step(name, ranges)
        for name in transforms.without_tensorflow()
        if not name.startswith(("freeze_requantization", "remove_attr", "rename"))
    ]
    if not graph.library.function:
        pipeline.transform(graph, steps, [], outputs, evaluator)


@settings(max_examples=_CASES)
@given(data=_damaged())
def test_damaged(ranges: Path, data: bytes) -> None:
    with contextlib.suppress(InvalidInput):
        _transformed(graph_file.parse(data, _PATH), ranges)


def test_the_undamaged_graph(ranges: Path) -> None:
    _transformed(graph_file.parse(_SEED, _PATH), ranges)


@pytest.mark.parametrize("size", range(0, len(_SEED), 37))
def test_truncated(size: int) -> None:
    with contextlib.suppress(InvalidInput):
        graph_file.parse(_SEED[:size], _PATH)


def test_duplicate_nodes_are_rejected_early() -> None:
    with pytest.raises(InvalidInput, match="two nodes have this name"):
        graph_file.parse(b"\x0a\x05\x12\x03Neg" * 100_000, _PATH)
