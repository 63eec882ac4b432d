"""TensorFlow's memmapped format: files for and from full TensorFlow's own code, and damaged files."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.util import memmapped_file_system_pb2

from built import published
from demo import wheel
from e2e.builds import built_libraries
from e2e.graphs import mapped_files
from e2e.graphs.mapped_files import Files
from e2e.sessions.numpy_session import Array, run
from models import frozen
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library

_PREFIX = "memmapped_package://"
# Cases whose only input is the matrix `input`.
_CASES = ("dense", "folded", "functions", "loop", "tied", "types", "unordered")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    return mapped_files.of_all_cases(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(published.of("shared").named("//shared:library")["libtensorflow-core.so"])


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Full TensorFlow's reader and writer."""
    made = tmp_path_factory.mktemp("program") / "memmapped_env"
    source = built_libraries.APP.parent / "memmapped_env.cc"
    compile_it = ["g++", *wheel.FLAGS, *wheel.include_flags(), str(source), "-o", str(made)]
    subprocess.run([*compile_it, *wheel.link_flags()], check=True)
    return made


def _require(found: list[Array], expected: tuple[Array, ...]) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, 1e-5, 1e-5)


def _run_tensorflow(program: Path, package: Path, found: Files, folder: Path) -> list[Array]:
    fed, output = folder / "input", folder / "output"
    fed.write_bytes(found.case.feeds[frozen.INPUT].tobytes())
    subprocess.run([program, "run", package, fed, output, *found.case.fetches], check=True)
    data, arrays = output.read_bytes(), []
    for expected in found.case.expected:
        arrays.append(np.frombuffer(data, expected.dtype, expected.size).reshape(expected.shape))
        data = data[expected.nbytes :]
    assert data == b""
    return arrays


@pytest.mark.parametrize("name", _CASES)
def test_tensorflow_runs_files_of_tfcarve(
    name: str, program: Path, files: dict[str, Files], tmp_path: Path
) -> None:
    found = files[name]
    _require(_run_tensorflow(program, found.package, found, tmp_path), found.case.expected)


def test_tensorflow_uses_the_constants_in_the_file(
    program: Path, files: dict[str, Files], tmp_path: Path
) -> None:
    """The control: with other bytes in the regions, the output differs."""
    found, changed = files["dense"], tmp_path / "changed.pb"
    data = bytearray(found.package.read_bytes())
    data[64:128] = bytes(64)
    changed.write_bytes(data)
    output = _run_tensorflow(program, changed, found, tmp_path)
    assert np.abs(output[0] - found.case.expected[0]).max() > 1e-3


@pytest.mark.parametrize("name", _CASES)
def test_library_runs_files_of_tensorflow(
    name: str, program: Path, files: dict[str, Files], library: Library, tmp_path: Path
) -> None:
    case, package = files[name].case, tmp_path / "package"
    subprocess.run([program, "write", files[name].plain, package], check=True)
    with library.session_from_file(package) as session:
        _require(run(session, case.feeds, case.fetches), case.expected)
        assert session.mapped_bytes == case.mapped


def _parts(data: bytes) -> tuple[bytes, Any]:
    """Returns a package without its directory, and the directory."""
    (offset,) = struct.unpack("<Q", data[-8:])
    directory = memmapped_file_system_pb2.MemmappedFileSystemDirectory.FromString(data[offset:-8])
    return data[:offset], directory


def _with_directory(data: bytes, change: Callable[[Any], None]) -> bytes:
    content, directory = _parts(data)
    change(directory)
    changed: bytes = directory.SerializeToString()
    return content + changed + struct.pack("<Q", len(content))


def _with_graph(data: bytes, change: Callable[[Any], None]) -> bytes:
    """Changes the graph, which is the last region."""
    content, directory = _parts(data)
    region = directory.element[-1]
    graph = tf.compat.v1.GraphDef.FromString(content[region.offset :])
    change(next(node for node in graph.node if node.op == "ImmutableConst"))
    changed: bytes = graph.SerializeToString()
    region.length = len(changed)
    content = content[: region.offset] + changed
    listed: bytes = directory.SerializeToString()
    return content + listed + struct.pack("<Q", len(content))


def _set(index: int, field: str, value: Any) -> Callable[[Any], None]:
    return lambda directory: setattr(directory.element[index], field, value)


def _reversed(directory: Any) -> None:
    elements = list(directory.element)[::-1]
    del directory.element[:]
    directory.element.extend(elements)


def _of_other_shape(node: Any) -> None:
    node.attr["shape"].shape.dim[0].size = 17


def _of_no_type(node: Any) -> None:
    del node.attr["dtype"]


_CUT = "the file is neither a serialized GraphDef nor a whole file in TensorFlow's memmapped format"
_FORMAT = "the file is in TensorFlow's memmapped format: "


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:-1], _CUT),
        (lambda data: data[: len(data) // 2], _CUT),
        (lambda data: data[:-8] + b"\xff" * 8, _CUT),
        (lambda data: data[:-8] + struct.pack("<Q", 70), f"{_FORMAT}its directory is damaged"),
        (
            lambda data: _with_directory(data, _set(0, "offset", 1 << 40)),
            f"{_FORMAT}region {_PREFIX}constant_0 is empty or outside of the file",
        ),
        (
            lambda data: _with_directory(data, _set(-1, "length", 1 << 20)),
            f"{_FORMAT}region {_PREFIX}. is empty or outside of the file",
        ),
        (
            lambda data: _with_directory(data, _set(-1, "length", (1 << 64) - 1)),
            f"{_FORMAT}region {_PREFIX}. is empty or outside of the file",
        ),
        (
            lambda data: _with_directory(data, _set(0, "length", 0)),
            f"{_FORMAT}region {_PREFIX}constant_0 is empty or outside of the file",
        ),
        (
            lambda data: _with_directory(data, _set(0, "length", 1088)),
            f"{_FORMAT}region {_PREFIX}constant_1 overlaps the one before",
        ),
        (lambda data: _with_directory(data, _reversed), "overlaps the one before"),
        (
            lambda data: _with_directory(data, _set(1, "name", f"{_PREFIX}constant_0")),
            f"{_FORMAT}region {_PREFIX}constant_0 is there twice",
        ),
        (
            lambda data: _with_directory(data, _set(0, "name", "constant_0")),
            f"{_FORMAT}its directory is damaged",
        ),
        (
            lambda data: _with_directory(data, _set(-1, "name", f"{_PREFIX}graph")),
            f"{_FORMAT}it has no graph",
        ),
        (
            lambda data: _with_directory(data, _set(0, "name", f"{_PREFIX}other")),
            f"node Const: the file has no region {_PREFIX}constant_0",
        ),
        (
            lambda data: _with_directory(data, _set(0, "length", 1020)),
            "node Const: its value has 1020 bytes, which is not 256 elements of 4 bytes",
        ),
        (
            lambda data: _with_graph(data, _of_other_shape),
            "node Const: its value has 1024 bytes, which is not 272 elements of 4 bytes",
        ),
        (lambda data: _with_graph(data, _of_no_type), ""),
    ],
)
def test_damaged_file(
    change: Callable[[bytes], bytes],
    message: str,
    files: dict[str, Files],
    library: Library,
    tmp_path: Path,
) -> None:
    file = tmp_path / "damaged"
    file.write_bytes(change(files["small"].package.read_bytes()))
    with pytest.raises(CallError) as failed:
        library.session_from_file(file)
    assert message in str(failed.value)
    assert str(failed.value).startswith(f"{file}: ")
