"""Tests of event files for TensorBoard: TensorFlow and TensorBoard read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import protos
import pytest
import tensorflow as tf
from protos import node
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tfcarve.drawing import event_file
from tfcarve.drawing.crc32c import crc32c
from tfcarve.drawing.without_values import without_values
from tfcarve.models.wire import WireError

_FLOAT = protos.type_value("float32")
_WEIGHTS = {"dtype": _FLOAT, "value": protos.tensor_value("float32", (2, 3), bytes(24))}
_GRAPH = protos.graph(
    node(
        "x",
        "Placeholder",
        {"dtype": _FLOAT, "shape": protos.data(7, protos.shape(-1, 2))},
        "/cpu:0",
    ),
    node("a/w", "Const", _WEIGHTS),
    node(
        "a/y",
        "MatMul",
        {"T": _FLOAT, "transpose_a": protos.bool_value(False)},
        inputs=["x", "a/w", "^x"],
    ),
    functions=[protos.function("F", node("c", "Const", _WEIGHTS), returned=["c:output:0"])],
)


def _shown() -> bytes:
    return without_values(_GRAPH, 0, len(_GRAPH))


def _write(folder: Path, content: bytes) -> Path:
    file = folder / event_file.NAME
    file.write_bytes(content)
    return file


def _graph_def(data: bytes) -> Any:
    return tf.compat.v1.GraphDef.FromString(data)


@pytest.mark.parametrize(
    ("data", "crc"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
    ],
)
def test_crc32c(data: bytes, crc: int) -> None:
    """The examples of RFC 3720, and the usual check value."""
    assert crc32c(data) == crc


def test_tensorflow_reads_it(tmp_path: Path) -> None:
    file = _write(tmp_path, b"".join(event_file.event_file(_GRAPH)))
    version, graph = tf.compat.v1.train.summary_iterator(str(file))
    assert version.file_version == "brain.Event:2"
    assert graph.graph_def == _GRAPH
    assert {version.wall_time, graph.wall_time} == {0}


def test_tensorboard_reads_it(tmp_path: Path) -> None:
    _write(tmp_path, b"".join(event_file.event_file(_shown())))
    shown = EventAccumulator(str(tmp_path)).Reload().Graph()
    assert [n.name for n in shown.node] == ["x", "a/w", "a/y"]


@pytest.mark.parametrize("place", [8, 14, -1, -200])
def test_a_changed_byte_is_found(place: int, tmp_path: Path) -> None:
    """The control: TensorFlow checks the lengths and checksums."""
    content = bytearray(b"".join(event_file.event_file(_GRAPH)))
    content[place] ^= 1
    file = _write(tmp_path, bytes(content))
    with pytest.raises(tf.errors.DataLossError):
        list(tf.compat.v1.train.summary_iterator(str(file)))


def test_without_values() -> None:
    wanted = _graph_def(_GRAPH)
    for one in (wanted.node[1], wanted.library.function[0].node_def[0]):
        assert one.attr["value"].tensor.tensor_content
        one.attr["value"].tensor.ClearField("tensor_content")
    assert _graph_def(_shown()) == wanted
    assert len(_shown()) < len(_GRAPH) - 2 * 24


def test_values_in_lists_are_removed() -> None:
    numbers = protos.data(
        8, protos.number(1, 3) + protos.data(2, protos.shape(2)) + protos.data(7, b"\x05\x06")
    )
    graph = protos.graph(node("c", "Const", {"value": numbers}))
    (shown,) = _graph_def(without_values(graph, 0, len(graph))).node
    assert not shown.attr["value"].tensor.int_val
    assert tf.TensorShape(shown.attr["value"].tensor.tensor_shape) == [2]


def test_damaged_graph() -> None:
    with pytest.raises(WireError, match="only 3 remain"):
        without_values(b"\x0a\x09abc", 0, 5)
