"""Tests of calling a shared library through the C interface, with a fake library."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tfcarve import dtypes
from tfcarve.benchmark import library_run, measurement
from tfcarve.benchmark.arrays import Array
from tfcarve.benchmark.c_api import API_VERSION, FUNCTIONS, CallError, Library, TensorInfo

_X = Array(dtypes.NUMBER_OF["float32"], (1, 2), b"\0\0\x80\x3f\0\0\0\x40")
_HEADER = "TFCARVE_C_API_HEADER"


def _header() -> Path:
    return Path(os.environ["RUNFILES_DIR"], os.environ[_HEADER])


def _built(version: int, output: Path) -> Path:
    source = Path(__file__).with_name("fake_library.c")
    flags = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{_header().parent}"]
    subprocess.run(["gcc", *flags, f"-DVERSION={version}", source, "-o", output], check=True)
    return output


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _built(API_VERSION, tmp_path_factory.mktemp("fake") / "libfake.so")


def test_client_has_all_functions_of_the_header() -> None:
    text = _header().read_text(encoding="utf-8")
    declared = re.findall(r"^TFCARVE_EXPORT [^;(]*?(\w+)\(", text, re.MULTILINE)
    assert sorted(FUNCTIONS) == sorted(declared)


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
    path = _built(version, tmp_path / "libother.so")
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


def test_library_run(shared: Path, tmp_path: Path) -> None:
    report = tmp_path / "b.json"
    words = f"{shared} m.pb --input-random=x=float32:1x2 --output=y --threads=1 --warmup=1"
    counts = f"--runs=3 --traced-runs=2 --json={report}"
    assert library_run.main([*words.split(), *counts.split()]) == 0
    found = measurement.parse(report.read_bytes(), "b.json")
    assert (found.model, found.runs, found.traced_runs) == ("m.pb", 3, 2)
    assert [(node.name, node.ms, node.calls) for node in found.nodes] == [
        ("conv", 5.0, 1.0),
        ("relu", 1.0, 1.0),
    ]
    assert [op.op for op in found.ops] == ["Conv2D", "Relu"]
    assert 0 < found.wall_ms.min <= found.wall_ms.median


def test_library_run_that_fails(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(shared), "m.pb", "--input-random=x=float32:1x2", "--threads=1", "--warmup=1"]
    counts = ["--runs=1", "--traced-runs=0", f"--json={tmp_path / 'b.json'}"]
    assert library_run.main([*words, "--output=bad", *counts]) == 1
    assert capsys.readouterr().err == "m.pb: no such node\n"
    assert not (tmp_path / "b.json").exists()
