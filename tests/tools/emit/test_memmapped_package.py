"""Tests of files in TensorFlow's memmapped format: what a reader of the format finds in them, and the command."""

import json
import struct
from pathlib import Path
from typing import Any

import indexes
import numpy as np
import protos
import pytest
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.core.util import memmapped_file_system_pb2

from tfcarve import cli
from tfcarve.emit import memmapped_package
from tfcarve.models import memmapped, read
from tfcarve.models.wire import WireError

_PREFIX = "memmapped_package://"


def _package(data: bytes) -> bytes:
    return b"".join(piece.data for piece in memmapped_package.package(data))


def _read(data: bytes) -> tuple[Any, dict[str, tuple[int, bytes]]]:
    """Returns the graph, and the offset and bytes of each region, as TensorFlow's reader finds them."""
    (offset,) = struct.unpack("<Q", data[-8:])
    directory = memmapped_file_system_pb2.MemmappedFileSystemDirectory.FromString(data[offset:-8])
    regions = {e.name: (e.offset, data[e.offset : e.offset + e.length]) for e in directory.element}
    assert [e.offset for e in directory.element] == sorted({e.offset for e in directory.element})
    return graph_pb2.GraphDef.FromString(regions.pop(f"{_PREFIX}.")[1]), regions


def _graph() -> Any:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [1, 64], name="input")
        with tf.control_dependencies([fed]), tf.device("/cpu:0"):
            weights = tf.constant(np.arange(64 * 64, dtype=np.float32).reshape(64, 64))
        odd = tf.constant(np.arange(1025, dtype=np.int8), name="odd")
        listed = tf.constant(2.5, shape=[300], name="one_value")
        small = tf.constant(np.arange(64, dtype=np.float32), name="small")
        text = tf.constant(["x" * 2000, "y"], name="text")
        tf.add(tf.matmul(fed, weights), small, name="output")
        tf.group(odd, listed, text)
    return graph.as_graph_def()


def test_constants_are_in_aligned_regions_and_the_rest_is_unchanged() -> None:
    original = _graph()
    data = _package(original.SerializeToString())
    graph, regions = _read(data)
    assert all(offset % 64 == 0 for offset, _ in regions.values())
    assert data[:64] == bytes(64)
    by_name = {node.name: node for node in graph.node}
    changed = {node.name for node in graph.node if node.op == "ImmutableConst"}
    assert changed == {"Const", "odd"}
    for node in original.node:
        found = by_name[node.name]
        if node.name not in changed:
            assert found == node
            continue
        value = node.attr["value"].tensor
        assert regions[found.attr["memory_region_name"].s.decode()][1] == value.tensor_content
        assert found.attr["shape"].shape == value.tensor_shape
        assert found.attr["dtype"].type == value.dtype
        assert "value" not in found.attr
        assert (list(found.input), found.device) == (list(node.input), node.device)
    assert graph.versions == original.versions


def _without_shape(tensor: Any) -> None:
    tensor.ClearField("tensor_shape")


def _of_other_shape(tensor: Any) -> None:
    tensor.tensor_shape.dim[0].size = 63


def _of_unknown_type(tensor: Any) -> None:
    tensor.dtype = 99


def _of_strings(tensor: Any) -> None:
    tensor.dtype = 7


@pytest.mark.parametrize("change", [_without_shape, _of_other_shape, _of_unknown_type, _of_strings])
def test_constant_that_does_not_match_its_shape_is_unchanged(change: Any) -> None:
    original = _graph()
    weights = next(node for node in original.node if node.name == "Const")
    change(weights.attr["value"].tensor)
    graph, _ = _read(_package(original.SerializeToString()))
    assert next(node for node in graph.node if node.name == "Const") == weights


def test_reader_sees_the_original_graph(tmp_path: Path) -> None:
    plain, package = tmp_path / "plain.pb", tmp_path / "package.pb"
    plain.write_bytes(_graph().SerializeToString())
    package.write_bytes(_package(plain.read_bytes()))
    one, other = read.read(plain, name="m"), read.read(package, name="m")
    assert (one.format, other.format) == ("graphdef", "memmapped")
    assert list(one.nodes) == list(other.nodes)
    assert one.digest() != other.digest()


def _directory(*elements: tuple[int, str, int], start: int = 200) -> bytes:
    message = memmapped_file_system_pb2.MemmappedFileSystemDirectory()
    for offset, name, length in elements:
        message.element.add(offset=offset, name=name, length=length)
    return bytes(start) + message.SerializeToString() + struct.pack("<Q", start)


_GRAPH = (100, f"{_PREFIX}.", 100)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_directory((201, f"{_PREFIX}.", 1)), r"region memmapped_package://\.: is empty or outside"),
        (_directory((100, f"{_PREFIX}.", 101)), "is empty or outside of the file"),
        (_directory((100, f"{_PREFIX}.", (1 << 64) - 50)), "is empty or outside of the file"),
        (_directory((100, f"{_PREFIX}.", 0)), "is empty or outside of the file"),
        (_directory((0, f"{_PREFIX}a", 101), _GRAPH), "overlaps the one before"),
        (_directory(_GRAPH, (0, f"{_PREFIX}a", 10)), "overlaps the one before"),
        (_directory((0, f"{_PREFIX}a", 1), (1, f"{_PREFIX}a", 1), _GRAPH), "is there twice"),
        (_directory((0, "a", 1), _GRAPH), "a region without a name"),
        (_directory((0, f"{_PREFIX}a", 1)), "no region memmapped_package://."),
        (bytes(9) + _PREFIX.encode(), "its directory is missing: it is damaged or cut short"),
        (_directory(_GRAPH)[:-1], "its directory is missing"),
        (_directory(_GRAPH, start=300)[:-10] + bytes((2,)) + struct.pack("<Q", 300), "the message ends inside|truncated"),
    ],
)  # fmt: skip
def test_damaged_directory(data: bytes, message: str, tmp_path: Path) -> None:
    assert memmapped.is_package(data)
    with pytest.raises(WireError, match=message):
        memmapped.regions(data)
    file = tmp_path / "m.pb"
    file.write_bytes(data)
    assert cli.main(["select", str(file), "-o", str(tmp_path / "s.json")]) == 2


@pytest.mark.parametrize(
    "data",
    [
        b"\0",
        bytes(100),
        protos.graph(protos.node("n", "NoOp", {"_x": protos.string_value("x" * 50 + "\0" * 8)})),
        protos.graph(protos.node("n", "NoOp", {"_x": protos.string_value(_PREFIX)})),
    ],
)
def test_other_files_are_not_packages(data: bytes) -> None:
    assert not memmapped.is_package(data)


def _missing_region(graph: Any) -> None:
    next(n for n in graph.node if n.name == "Const").attr["memory_region_name"].s = b"no"


def _no_region(graph: Any) -> None:
    del next(n for n in graph.node if n.name == "Const").attr["memory_region_name"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_missing_region, "node 'Const': the file has no region 'no'"),
        (_no_region, "node 'Const': the file has no region ''"),
    ],
)
def test_missing_region(
    change: Any, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, _ = _read(_package(_graph().SerializeToString()))
    change(graph)
    content = graph.SerializeToString()
    directory = _directory((64, f"{_PREFIX}.", len(content)), start=64 + len(content))
    file = tmp_path / "m.pb"
    file.write_bytes(bytes(64) + content + directory[64 + len(content) :])
    assert cli.main(["select", str(file), "-o", str(tmp_path / "s.json")]) == 2
    assert f"{file}: {message}" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["aligned", "tensorflow"])
def test_only_a_library_for_this_format_contains_its_reader(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, model, index, selection = (
        str(tmp_path / name) for name in ("plain.pb", "m.pb", "index.json", "s.json")
    )
    Path(index).write_bytes(indexes.INDEX.to_json())
    value = protos.tensor_value("float32", (1024,), bytes(4096))
    dtype = protos.type_value("float32")
    constant = protos.node("c", "Const", {"dtype": dtype, "value": value})
    relu = protos.node("r", "Relu", {"T": dtype})
    Path(plain).write_bytes(protos.graph(constant, relu))
    assert cli.main(["memmap", "--format", form, plain, "-o", model]) == 0
    assert cli.main(["select", model, "--index", index, "-o", selection]) == 0
    ops = [op["name"] for op in json.loads(Path(selection).read_bytes())["ops"]]
    assert {"Const", "Relu"} <= set(ops)
    assert "ImmutableConst" not in ops
    capsys.readouterr()
    assert cli.main(["manifest", selection]) == 0
    source = capsys.readouterr().out
    assert ("#define TFCARVE_READS_PACKAGES\n" in source) == (form == "tensorflow")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, package, again = tmp_path / "plain.pb", tmp_path / "package.pb", tmp_path / "again.pb"
    plain.write_bytes(_graph().SerializeToString())
    assert cli.main(["memmap", "--format", "tensorflow", str(plain), "-o", str(package)]) == 0
    assert capsys.readouterr().out == "2 constants with 17,409 bytes are aligned\n"
    assert package.read_bytes() == _package(plain.read_bytes())
    wanted = (
        "is in TensorFlow's memmapped format: pass the frozen GraphDef that it was written from"
    )
    for words in (
        ["memmap", str(package), "-o", str(again)],
        ["memmap", "--format", "tensorflow", str(package), "-o", str(again)],
        ["transform", str(package), "-o", str(again), "--transforms", "remove_device"],
        ["freeze", str(package), "-o", str(again)],
    ):
        assert cli.main(words) == 2
        assert f"{package}: {wanted}" in capsys.readouterr().err
    assert not again.exists()
