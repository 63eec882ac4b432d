"""Tests of calling a shared library through the C interface, with a fake library."""

import subprocess
from pathlib import Path

import fake_library
import pytest

from tfcarve import dtypes
from tfcarve.client.arrays import Array
from tfcarve.client.c_interface import API_VERSION
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.client.session import TensorInfo

_X = Array(dtypes.NUMBER_OF["float32"], (1, 2), b"\0\0\x80\x3f\0\0\0\x40")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fake_library.built(API_VERSION, tmp_path_factory.mktemp("fake") / "libfake.so")


@pytest.mark.parametrize(
    ("version", "works"),
    [
        (API_VERSION, True),
        (API_VERSION + 1, True),
        (API_VERSION - 1, False),
        (API_VERSION + 100, False),
    ],
)
def test_version_of_the_library(version: int, works: bool, tmp_path: Path) -> None:
    path = fake_library.built(version, tmp_path / "libother.so")
    if works:
        Library(path)
    else:
        with pytest.raises(CallError, match=f"it has version {version} of the C interface, not"):
            Library(path)


def test_inputs_and_outputs(library: Library) -> None:
    with library.session_from_file("m.pb") as session:
        assert session.inputs == [TensorInfo("x", dtypes.NUMBER_OF["float32"], (-1, 2))]
        assert session.outputs == [TensorInfo("y", 0, None)]


@pytest.fixture(scope="module")
def library(shared: Path) -> Library:
    return Library(shared)


def test_run(library: Library) -> None:
    assert library.kernel_count() == 3
    with library.session_from_file("m.pb") as session:
        assert session.mapped_bytes == 64
        bound = session.bind({"x": _X, "y": _X}, ["z"])
        results = [bound.run(), bound.run()]
    # Results are independent of the session.
    for result in results:
        with result:
            assert result.output(0) == _X
            assert result.trace() == []
            with pytest.raises(IndexError):
                result.output(1)


def test_trace_is_in_the_order_of_the_start(library: Library) -> None:
    with (
        library.session_from_bytes(b"graph", threads=2) as session,
        session.bind({"x": _X}, ["y"]).run_traced() as result,
    ):
        conv, relu = result.trace()
    assert (conv.node, conv.op, conv.inputs, conv.duration_ns) == (
        "conv",
        "Conv2D",
        "x, filter",
        5_000_000,
    )
    assert (conv.allocated_bytes, conv.outputs) == (80, ((1, ()),))
    assert (relu.node, relu.start_ns, relu.outputs) == ("relu", 2_000_000, ((1, (1, 2)),))


def test_sessions_that_fail(library: Library) -> None:
    for create in (
        lambda: library.session_from_bytes(b""),
        lambda: library.session_from_file("m.txt"),
        lambda: library.session_from_file(None),
    ):
        with pytest.raises(CallError, match="^empty$") as caught:
            create()
        assert (caught.value.code, caught.value.status) == (3, 2)


def test_runs_that_fail(library: Library) -> None:
    with library.session_from_file("m.pb") as session:
        for inputs, output in (({"x": _X}, "bad"), ({}, "y")):
            with pytest.raises(CallError, match=r"^m\.pb: no such node$") as caught:
                session.bind(inputs, [output]).run()
            assert (caught.value.code, caught.value.status, caught.value.node) == (5, 1, "bad")


def test_cpu(library: Library) -> None:
    assert library.cpu() == "avx2"
    assert library.set_cpu("baseline")
    assert library.cpu() == "baseline"
    for name in ("sse9", "AVX2", None):
        assert not library.set_cpu(name)
        assert library.cpu() == "baseline"
    assert library.set_cpu("")
    assert library.cpu() == "avx2"


def test_library_without_a_function(tmp_path: Path) -> None:
    empty = tmp_path / "libempty.so"
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-o", empty], check=True)
    with pytest.raises(CallError, match=r"libempty\.so: cannot be used: .*tfcarve_api_version"):
        Library(empty)


@pytest.mark.parametrize("name", ["libm.so.6", "missing.so"])
def test_not_a_carved_library(name: str) -> None:
    with pytest.raises(CallError, match=f"^{name}: cannot be used: ") as caught:
        Library(name)
    assert caught.value.status == 2
