"""Tests of aligned graphs: TensorFlow reads the same graph, and large constants are at multiples of 64 bytes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import protos
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from tensorflow.core.framework import graph_pb2, node_def_pb2

from tfcarve import cli
from tfcarve.emit import aligned_graph
from tfcarve.models import graph_def
from tfcarve.models.wire import Budget, WireError


def _aligned(data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Returns the aligned graph, and the offset and size of each constant in it."""
    out, places = b"", []
    for piece in aligned_graph.aligned(data):
        if piece.constant_bytes:
            places.append((len(out), piece.constant_bytes))
        out += piece.data
    return out, places


def _const(name: str, content: bytes, *inputs: str, device: str = "") -> bytes:
    value = protos.tensor_value("float32", (len(content) // 4,), content)
    attrs = {"dtype": protos.type_value("float32"), "value": value, "_x": protos.string_value(name)}
    return protos.node(name, "Const", attrs, device, inputs)


def _parsed(data: bytes) -> Any:
    return graph_pb2.GraphDef.FromString(data)


def _uses(data: bytes) -> list[Any]:
    return list(graph_def.graph(data, 0, len(data), "m", Budget(len(data))).nodes)


_NAMES = st.text("abc/_", min_size=1, max_size=200)
_NODES = st.tuples(_NAMES, st.integers(0, 1500), st.lists(_NAMES, max_size=3), st.sampled_from(["", "/cpu:0"]))  # fmt: skip


@given(st.lists(_NODES, max_size=6))
def test_same_graph_with_large_constants_aligned(
    nodes: list[tuple[str, int, list[str], str]],
) -> None:
    contents = [bytes(range(256)) * (size // 64) for _, size, _, _ in nodes]
    original = protos.graph(
        *(
            _const(name, content, *(f"^{i}" for i in inputs), device=device)
            for (name, _, inputs, device), content in zip(nodes, contents, strict=True)
        )
    )
    result, places = _aligned(original)
    assert _parsed(result) == _parsed(original)
    assert _uses(result) == _uses(original)
    large = [content for content in contents if len(content) >= 1024]
    assert [size for _, size in places] == [len(content) for content in large]
    for (place, size), content in zip(places, large, strict=True):
        assert place % 64 == 0
        assert result[place : place + size] == content
    assert _aligned(result)[0] == result, "it is already aligned"


@pytest.mark.parametrize("length", [128, 1 << 14, 1 << 21])
def test_length_fields_that_grow(length: int) -> None:
    """Sizes around those at which a length field, of the content or of an enclosing message, needs another byte."""
    for less in range(-8, 264, 1 if length < 1 << 20 else 9):
        content = b"\x01" * (max(length, 1300) - less)
        graph = protos.graph(_const("c" * (less % 7 + 1), content))
        result, [(place, size)] = _aligned(graph)
        assert place % 64 == 0
        assert result[place : place + size] == content
        assert len(result) < len(graph) + 5 * 64
        if less % 33 == 0:
            assert _parsed(result) == _parsed(graph)


_VALUES: dict[str, Callable[[Any], Any]] = {
    "float32": lambda t: t.float_val,
    "float64": lambda t: t.double_val,
    "int32": lambda t: t.int_val,
    "int16": lambda t: t.int_val,
    "int8": lambda t: t.int_val,
    "uint16": lambda t: t.int_val,
    "uint8": lambda t: t.int_val,
    "int64": lambda t: t.int64_val,
    "uint32": lambda t: t.uint32_val,
    "uint64": lambda t: t.uint64_val,
    "bool": lambda t: t.bool_val,
    "float16": lambda t: t.half_val,
    "bfloat16": lambda t: t.half_val,
    "complex64": lambda t: t.scomplex_val,
    "complex128": lambda t: t.dcomplex_val,
}


def _listed(dtype: str) -> Any:
    """Returns a Const whose values are a list."""
    kind = tf.as_dtype(dtype)
    drawn = np.random.default_rng(1).integers(-5000, 5000, (32, 64))
    array = drawn.astype(kind.as_numpy_dtype)
    node = node_def_pb2.NodeDef(name="c", op="Const")
    node.attr["dtype"].type = kind.as_datatype_enum
    tensor = node.attr["value"].tensor
    tensor.dtype = kind.as_datatype_enum
    tensor.tensor_shape.CopyFrom(tf.TensorShape(array.shape).as_proto())
    flat = array.ravel()
    if dtype in ("float16", "bfloat16"):
        flat = flat.view(np.uint16)
    elif dtype.startswith("complex"):
        flat = flat.view(np.float32 if dtype == "complex64" else np.float64)
    _VALUES[dtype](tensor).extend(flat.tolist())
    return node


@pytest.mark.parametrize("dtype", _VALUES)
def test_values_in_a_list(dtype: str) -> None:
    node = _listed(dtype)
    result, [(place, size)] = _aligned(graph_pb2.GraphDef(node=[node]).SerializeToString())
    tensor = _parsed(result).node[0].attr["value"].tensor
    assert len(tensor.tensor_content) == size
    assert not _VALUES[dtype](tensor)
    assert place % 64 == 0
    expected = tf.make_ndarray(node.attr["value"].tensor)
    assert tf.make_ndarray(tensor).tobytes() == expected.tobytes()


def test_unpacked_values() -> None:
    values = b"".join(protos.number(7, n - 300) for n in range(600))
    tensor = protos.number(1, 3) + protos.data(2, protos.shape(600)) + values
    graph = protos.graph(protos.node("c", "Const", {"value": protos.data(8, tensor)}))
    result, [(place, _)] = _aligned(graph)
    found = tf.make_ndarray(_parsed(result).node[0].attr["value"].tensor)
    assert found.tolist() == list(range(-300, 300))
    assert place % 64 == 0


def _of_tensor(*fields: bytes) -> bytes:
    return protos.node("c", "Const", {"value": protos.data(8, b"".join(fields))})


_FLOAT, _BIG = protos.number(1, 1), bytes(4096)
_SHAPE = protos.data(2, protos.shape(1024))
_TENSOR = protos.tensor_value("float32", (1024,), _BIG)


@pytest.mark.parametrize(
    "node",
    [
        protos.node("c", "Placeholder", {"value": _TENSOR}),
        protos.node("c", "Const", {"other": _TENSOR}),
        protos.node("c", "Const", {"value": _TENSOR}) + protos.data(5, protos.data(1, "value")),
        protos.node("c", "Const", {"value": _TENSOR + protos.number(3, 1)}),
        protos.node("c", "Const", {"value": _TENSOR + _TENSOR}),
        protos.node("c", "Const", {"value": _TENSOR}) + protos.data(5, protos.data(2, _TENSOR)),
        _of_tensor(_FLOAT, _SHAPE, protos.data(4, _BIG[:1023])),
        # One value for all elements: as a content it would be a thousand times larger.
        _of_tensor(_FLOAT, _SHAPE, protos.data(5, bytes(4))),
        _of_tensor(_FLOAT, _SHAPE, protos.data(5, bytes(4095))),
        _of_tensor(_FLOAT, _SHAPE, protos.data(5, bytes(4100))),
        _of_tensor(_FLOAT, _SHAPE, protos.data(5, _BIG), protos.number(10, 1)),
        _of_tensor(_FLOAT, protos.data(5, _BIG)),
        _of_tensor(_FLOAT, protos.data(2, protos.shape(-1)), protos.data(5, _BIG)),
        _of_tensor(_FLOAT, protos.data(2, protos.number(3, 1)), protos.data(5, _BIG)),
        _of_tensor(protos.number(1, 7), _SHAPE, *(protos.data(8, "text") for _ in range(1024))),
        _of_tensor(protos.number(1, 999), _SHAPE, protos.data(5, _BIG)),
    ],
)  # fmt: skip
def test_unchanged_nodes(node: bytes) -> None:
    graph = protos.graph(node, functions=[protos.function("F", _const("c", _BIG))])
    assert _aligned(graph) == (graph, [])


def test_last_of_several_contents() -> None:
    fields = (_FLOAT, protos.data(4, b"\x01" * 9000), _SHAPE, protos.data(4, _BIG))
    graph = protos.graph(_of_tensor(*fields))
    result, [(place, size)] = _aligned(graph)
    assert result[place : place + size] == _BIG
    assert _parsed(result) == _parsed(graph)
    assert b"\x01" * 9000 not in result


@pytest.mark.parametrize(
    "tensor", [b"\x22\xff\x7f", protos.number(1, 1) + b"\x12\x02\x12\x05", b"\x2a\x02\x00"]
)
def test_damaged_constant(tensor: bytes) -> None:
    with pytest.raises(WireError):
        _aligned(protos.graph(_of_tensor(tensor)))


def _memmap(*words: str | Path) -> int:
    return cli.main(["memmap", *map(str, words)])


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, result = tmp_path / "m.pb", tmp_path / "folder" / "out.pb"
    model.write_bytes(protos.graph(_const("a", _BIG), _const("b", _BIG * 3), _const("c", b"1234")))
    assert _memmap(model, "-o", result) == 0
    assert capsys.readouterr().out == "2 constants with 16,384 bytes are aligned\n"
    assert result.read_bytes() == _aligned(model.read_bytes())[0]
    assert _memmap(model, "-o", model) == 0
    assert model.read_bytes() == result.read_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"no graph", "not a protocol buffer"),
        (protos.saved_model(protos.meta_graph(protos.graph(), "serve")), "is a SavedModel: pass a frozen GraphDef"),
        (protos.graph(_const("a", _BIG))[:-1000], "the file is truncated"),
        (protos.graph(_of_tensor(_FLOAT, _SHAPE, b"\x22\xff\x7f")), "field 4 has 16383 bytes"),
    ],
)  # fmt: skip
def test_not_a_frozen_graph(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.pb"
    model.write_bytes(content)
    assert _memmap(model, "-o", tmp_path / "out.pb") == 2
    error = capsys.readouterr().err
    assert error.startswith(f"tfcarve: {model}: ")
    assert message in error
    assert list(tmp_path.iterdir()) == [model], "no output, whole or partial"


def test_missing_file_and_unwritable_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "m.pb"
    assert _memmap(model, "-o", tmp_path / "out.pb") == 2
    assert "no such file" in capsys.readouterr().err
    model.write_bytes(protos.graph(_const("a", _BIG)))
    assert _memmap(model, "-o", tmp_path) == 2
    assert "cannot be written" in capsys.readouterr().err
