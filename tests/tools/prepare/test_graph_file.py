"""Tests of reading and writing GraphDef files."""

from pathlib import Path

import prepared
import pytest
import tensorflow as tf
from google.protobuf import text_format
from prepared import tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare import graph_file


def _draw() -> None:
    x = tf1.placeholder(tf.float32, [2, 3], name="x")
    w = tf.constant(prepared.noise(3, 4), name="w")
    f = tf.function(lambda a: tf.tanh(a) + 1.0)
    tf.identity(f(tf.matmul(x, w)), name="y")


def _definition() -> tf1.GraphDef:
    with tf.Graph().as_default() as created:
        _draw()
    return created.as_graph_def()


def test_round_trip(tmp_path: Path) -> None:
    definition = _definition()
    definition.node[0].attr["_of_nobody"].s = b"kept"
    path = tmp_path / "m.pb"
    path.write_bytes(definition.SerializeToString(deterministic=True))
    graph = graph_file.read_graph(path)
    graph_file.write_graph(tmp_path / "n.pb", graph)
    assert (tmp_path / "n.pb").read_bytes() == path.read_bytes()
    assert len(graph.library.function) == 1


def test_unknown_fields_are_preserved(tmp_path: Path) -> None:
    path = tmp_path / "m.pb"
    unknown = b"\xa2\x1f\x03abc"  # field 500
    path.write_bytes(b"\x0a" + bytes([8 + len(unknown)]) + b"\x0a\x01a\x12\x03Neg" + unknown)
    assert unknown in graph_file.to_bytes(graph_file.read_graph(path))


def test_text_format(tmp_path: Path) -> None:
    definition = _definition()
    path = tmp_path / "m.pbtxt"
    path.write_text(text_format.MessageToString(definition))
    graph = graph_file.read_graph(path)
    assert tf1.GraphDef.FromString(graph_file.to_bytes(graph)) == definition
    graph_file.write_graph(tmp_path / "n.pbtxt", graph)
    assert text_format.Parse((tmp_path / "n.pbtxt").read_text(), tf1.GraphDef()) == definition


def test_message_round_trip() -> None:
    definition = _definition()
    created = graph_file.to_bytes(prepared.from_tensorflow(definition))
    assert tf1.GraphDef.FromString(created) == definition


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"is empty"),
        (b"\x0a\x05\x0a\x01a", r"the file is truncated"),
        (b"\x0a\x03\x0a\x01a", r"node 'a': has no op"),
        (b"\x0a\x08\x0a\x01a\x12\x03Neg" * 2, r"node 'a': two nodes have this name"),
        (b"\x0a\x0b\x0a\x01a\x12\x03Neg\x1a\x01b", r"its input 'b' is not a node of the graph"),
        (b"\x0a\x0b\x0a\x01a\x12\x03Neg\x1a\x01a", r"depends on itself"),
        (b"\x22\x00", r"the graph has no nodes"),
        (b"\x08\x01\x12\x00", r"is a SavedModel: freeze it first: tfcarve freeze"),
        (b"\xff" * 20, r"m\.pb: "),
    ],
)
def test_invalid_files(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pb"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=message):
        graph_file.read_graph(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("node { name: 'a' op: 'Neg' input: 'a' }", r"depends on itself"),
        ("node { name: 'a' op: 'Neg' nonsense: 1 }", r"nonsense"),
        ("meta_info_def { }", r"is a meta_graph: freeze it first"),
    ],
)
def test_invalid_text_files(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pbtxt"
    path.write_text(content)
    with pytest.raises(InvalidInput, match=message):
        graph_file.read_graph(path)
