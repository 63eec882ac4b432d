"""Tests of reading and writing GraphDef files."""

from pathlib import Path

import prepared
import pytest
import tensorflow as tf
from google.protobuf import text_format
from prepared import tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import graph_file


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


@pytest.mark.parametrize("suffix", [".pbtxt", ".pb.txt", ".PbTxt"])
def test_text_format(tmp_path: Path, suffix: str) -> None:
    definition = _definition()
    path = tmp_path / f"m{suffix}"
    path.write_text(text_format.MessageToString(definition))
    graph = graph_file.read_graph(path)
    assert tf1.GraphDef.FromString(graph_file.to_bytes(graph)) == definition
    written = tmp_path / f"n{suffix}"
    graph_file.write_graph(written, graph)
    assert text_format.Parse(written.read_text(), tf1.GraphDef()) == definition


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


_CONSTANT = """
node {{ name: 'c' op: 'Const' attr {{ key: 'value' value {{ tensor {{
  dtype: {dtype} tensor_shape {{ dim {{ size: {size} }} }} {values} }} }} }} }}
"""


@pytest.mark.parametrize(
    ("dtype", "size", "values", "message"),
    [
        ("DT_FLOAT", 1 << 40, "float_val: 1", r"expands from 1 to 1099511627776 values"),
        ("DT_FLOAT", 1 << 40, "", r"expands from 0 to 1099511627776 values"),
        ("DT_STRING", 1 << 40, "string_val: 'a'", r"expands from 1 to 1099511627776 values"),
        ("DT_FLOAT8_E5M2", 1 << 40, "float8_val: 'a'", r"expands from 0 to 1099511627776 values"),
        ("DT_FLOAT", 4, "tensor_content: 'abc'", r"4 values of 4 bytes has 3 bytes"),
        ("DT_BFLOAT16", 2, "tensor_content: 'abc'", r"2 values of 2 bytes has 3 bytes"),
        ("DT_COMPLEX64", 1, "scomplex_val: [1, 2, 3, 4]", r"constant of 1 values has 2"),
        ("DT_INT32", -1, "int_val: 1", r"the shape of its constant is unknown"),
    ],
)
def test_constants_of_a_wrong_size(
    dtype: str, size: int, values: str, message: str, tmp_path: Path
) -> None:
    node = _CONSTANT.format(dtype=dtype, size=size, values=values)
    path = tmp_path / "m.pbtxt"
    body = node.replace("node {", "node_def {", 1)
    function = f"library {{ function {{ signature {{ name: 'f' }} {body} }} }}"
    for text in (node, f"{function} node {{ name: 'a' op: 'NoOp' }}"):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=f"m.pbtxt: node 'c': .*{message}"):
            graph_file.read_graph(path)
    # The control: one value for many elements.
    path.write_text(_CONSTANT.format(dtype="DT_FLOAT", size=1 << 20, values="float_val: 1"))
    graph_file.read_graph(path)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "m.pbtxt"
    text = b"node { name: 'a' op: 'NoOp' attr { key: 's' value { s: '%s' } } }"
    path.write_bytes(text % rb"\377")
    assert graph_file.read_graph(path).nodes[0].attr["s"].s == b"\xff"
    for begin in (b"", b"\n"):
        path.write_bytes(begin + text % b"\xff")
        with pytest.raises(InvalidInput, match=r"m\.pbtxt: not UTF-8: escape other bytes"):
            graph_file.read_graph(path)
