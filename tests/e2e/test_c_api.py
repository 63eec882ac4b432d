"""The C interface of a carved library: options, errors, cancellation, memory, strings, and what it says about a graph."""

from __future__ import annotations

import ast
import ctypes
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from built import published
from e2e.sessions import cpu_features
from e2e.sessions.numpy_session import output, run
from tfcarve import dtypes
from tfcarve.client.arrays import Array
from tfcarve.client.c_interface import API_VERSION, Buffer, SessionOptions, String
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.client.session import Session, TensorInfo

_FLOAT, _INT32, _STRING = (dtypes.NUMBER_OF[name] for name in ("float32", "int32", "string"))
_X = np.arange(32, dtype=np.float32).reshape(2, 16)
# Threads that call the library at the same time, and the number of their calls of each kind.
_CALLERS, _RUNS = 4, 40
# Counting so far takes minutes.
_LONG = np.array(2**31 - 1, np.int32)


# tests/full/test_sanitizers.py sets it to a folder with the models and the files of a library.
_PREBUILT = os.environ.get("TFCARVE_C_API_FILES")


@pytest.fixture(scope="module")
def models() -> dict[str, Path]:
    folder = Path(_PREBUILT) if _PREBUILT else published.of("shared").models / "c_api"
    return {file.stem: file for file in folder.glob("*.pb")}


@pytest.fixture(scope="module")
def built() -> dict[str, Path]:
    """The library and its programs, by name."""
    if _PREBUILT:
        return {file.name: file for file in Path(_PREBUILT).iterdir()}
    return published.of("shared").named("//shared:library", "default", "programs")


@pytest.fixture(scope="module")
def shared(built: dict[str, Path]) -> Path:
    return built["libtensorflow-core.so"]


@pytest.fixture(scope="module")
def library(shared: Path) -> Library:
    return Library(shared)


def _code(error: pytest.ExceptionInfo[CallError], library: Library) -> str:
    """The name of an error's status."""
    name: bytes = library.calls.tfcarve_status_name(error.value.code)
    return name.decode()


def _aligned(array: np.ndarray[Any, Any], offset: int = 0) -> np.ndarray[Any, Any]:
    """A copy at `offset` bytes after a multiple of 64."""
    memory = np.empty(array.nbytes + 128, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    part = memory[start : start + array.nbytes]
    copy: np.ndarray[Any, Any] = part.view(array.dtype).reshape(array.shape)
    copy[...] = array
    assert copy.ctypes.data % 64 == offset
    return copy


def _bound(session: Session, array: np.ndarray[Any, Any], fetches: list[str]) -> Any:
    """The session with the input `x` in the memory of the array, which is not copied."""
    input_array = Array(dtypes.NUMBER_OF[array.dtype.name], array.shape, bytes(array.nbytes))
    bound = session.bind({"x": input_array}, fetches)
    bound.inputs[0].data = array.ctypes.data
    return bound


def test_version_and_names(library: Library) -> None:
    calls = library.calls
    assert calls.tfcarve_api_version() == API_VERSION
    names = [calls.tfcarve_status_name(code).decode() for code in range(-1, 18)]
    assert names[:5] == ["", "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT"]
    assert names[-2:] == ["UNAUTHENTICATED", ""]
    assert json.loads(calls.tfcarve_manifest())["ops"]
    assert calls.tfcarve_has_op(b"Identity") == 1
    assert calls.tfcarve_has_op(b"Conv3D") == 0


def test_inputs_and_outputs_of_a_graph(library: Library, models: dict[str, Path]) -> None:
    with library.session_from_file(models["pass"]) as session:
        assert session.inputs == [TensorInfo("x", _FLOAT, (-1, 16))]
        assert session.outputs == [
            TensorInfo("same", _FLOAT, None),
            TensorInfo("sum", _FLOAT, None),
        ]
    with library.session_from_file(models["product"]) as session:
        assert session.inputs == [TensorInfo("x", _FLOAT, None)]
        names = [(one.name, one.dtype) for one in session.outputs]
        assert names == [("top", _FLOAT), ("top:1", _INT32)]
    with library.session_from_file(models["text"]) as session:
        assert session.inputs == [TensorInfo("text", _STRING, (-1,))]


def test_error_has_tensorflows_code_and_the_node(library: Library, models: dict[str, Path]) -> None:
    with library.session_from_file(models["product"]) as session:
        with pytest.raises(CallError, match="Matrix size-incompatible") as failed:
            run(session, {"x": np.ones((1, 4), np.float32)}, ["y"])
        assert (_code(failed, library), failed.value.node) == ("INVALID_ARGUMENT", "y")
        assert failed.value.status == 1
        with pytest.raises(CallError, match="not found in the Graph") as failed:
            run(session, {}, ["absent"])
        assert (_code(failed, library), failed.value.node) == ("INVALID_ARGUMENT", "")
        # The session can still be used.
        (y,) = run(session, {"x": np.ones((1, 3), np.float32)}, ["y"])
        assert y.tolist() == [[6, 9]]


@pytest.mark.parametrize(
    ("content", "code", "status"),
    [(None, "NOT_FOUND", 2), (b"\xff" * 9, "INVALID_ARGUMENT", 2), (b"", "INVALID_ARGUMENT", 2)],
)
def test_code_of_a_model_that_cannot_be_loaded(
    content: bytes | None, code: str, status: int, library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "m.pb"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(CallError) as failed:
        library.session_from_file(file)
    assert (_code(failed, library), failed.value.status) == (code, status)


def test_library_lacks_an_op(library: Library, models: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "m.pb"
    file.write_bytes(models["pass"].read_bytes().replace(b"Identity", b"Identitx"))
    with pytest.raises(CallError, match="op Identitx, for node same") as failed:
        library.session_from_file(file)
    assert (_code(failed, library), failed.value.status) == ("UNIMPLEMENTED", 1)


def test_null_arguments(library: Library, models: dict[str, Path]) -> None:
    calls = library.calls
    for function in ("session", "result"):
        assert getattr(calls, f"tfcarve_{function}_status")(None) == 3
        assert getattr(calls, f"tfcarve_{function}_error")(None) == b"the argument is NULL"
        assert getattr(calls, f"tfcarve_{function}_error_node")(None) is None
        getattr(calls, f"tfcarve_{function}_free")(None)
    for name in ("session_mapped_bytes", "session_input_count", "session_output_count"):
        assert getattr(calls, f"tfcarve_{name}")(None) == 0
    for name in ("result_count", "result_trace_count"):
        assert getattr(calls, f"tfcarve_{name}")(None) == 0
    for name in ("session_input", "session_output", "result_get", "result_trace_get"):
        assert getattr(calls, f"tfcarve_{name}")(None, 0, None) == 1
    for name in ("threads_free", "cancel", "cancellation_free"):
        getattr(calls, f"tfcarve_{name}")(None)
    assert calls.tfcarve_has_op(None) == 0
    calls.tfcarve_registrations(None)
    for handle in (
        calls.tfcarve_session_new(None, 4, None),
        calls.tfcarve_session_new_from_file(None, None),
        calls.tfcarve_session_new_from_reader(None, None),
    ):
        assert calls.tfcarve_session_error(handle) is not None
        assert calls.tfcarve_session_input_count(handle) == 0
        calls.tfcarve_session_free(handle)
    result = calls.tfcarve_session_run(None, None, 0, None, 0, None)
    assert calls.tfcarve_result_status(result) == 3
    calls.tfcarve_result_free(result)
    session = calls.tfcarve_session_new_from_file(str(models["pass"]).encode(), None)
    assert calls.tfcarve_session_error(session) is None
    for counts, message in ((1, 0), b"inputs is NULL"), ((0, 1), b"output_names is NULL"):
        result = calls.tfcarve_session_run(session, None, counts[0], None, counts[1], None)
        assert message in calls.tfcarve_result_error(result)
        calls.tfcarve_result_free(result)
    calls.tfcarve_session_free(session)


def test_size_of_the_options(library: Library, models: dict[str, Path]) -> None:
    """A program that was built with another version of the header has shorter or longer structures."""
    calls, path = library.calls, str(models["pass"]).encode()

    def outcome(options: SessionOptions) -> bytes | None:
        session = calls.tfcarve_session_new_from_file(path, options)
        error: bytes | None = calls.tfcarve_session_error(session)
        calls.tfcarve_session_free(session)
        return error

    options = SessionOptions(threads=-1)
    assert b"threads is -1" in (outcome(options) or b"")
    # Without its members: the value is not read.
    options.struct_size = ctypes.sizeof(ctypes.c_size_t)
    assert outcome(options) is None
    options.struct_size = ctypes.sizeof(SessionOptions) + 8
    assert b"threads is -1" in (outcome(options) or b"")
    for size in (0, 7, 1 << 40):
        options.struct_size = size
        assert b"struct_size of the options is" in (outcome(options) or b"")


def test_cancelled_run_ends(library: Library, models: dict[str, Path]) -> None:
    calls = library.calls
    cancellation = calls.tfcarve_cancellation_new()
    with library.session_from_file(models["loop"]) as session:
        timer = threading.Timer(0.2, calls.tfcarve_cancel, [cancellation])
        timer.start()
        bound = session.bind({"n": Array(_INT32, (), _LONG.tobytes())}, ["count"])
        start = time.monotonic()
        with pytest.raises(CallError, match="the run was cancelled$") as failed:
            bound.run(cancellation=cancellation)
        assert 0.1 < time.monotonic() - start < 30
        assert (_code(failed, library), failed.value.node) == ("CANCELLED", "")
        timer.join()
        # So do later runs with it, and none without it.
        with pytest.raises(CallError, match="the run was cancelled$"):
            session.bind({"n": Array(_INT32, (), bytes(4))}, ["count"]).run(
                cancellation=cancellation
            )
        (count,) = run(session, {"n": np.array(5, np.int32)}, ["count"])
        assert count == 5
    calls.tfcarve_cancellation_free(cancellation)


def test_run_ends_at_its_deadline(library: Library, models: dict[str, Path]) -> None:
    with library.session_from_file(models["loop"]) as session:
        bound = session.bind({"n": Array(_INT32, (), _LONG.tobytes())}, ["count"])
        start = time.monotonic()
        with pytest.raises(CallError, match="the run took longer than 200 ms$") as failed:
            bound.run(timeout_ms=200)
        assert 0.2 <= time.monotonic() - start < 30
        assert _code(failed, library) == "DEADLINE_EXCEEDED"
        with pytest.raises(CallError, match="timeout_ms is -1"):
            bound.run(timeout_ms=-1)
        short = session.bind({"n": Array(_INT32, (), np.int32(5).tobytes())}, ["count"])
        for timeout in (60_000, 2**63 - 1):
            with short.run(timeout_ms=timeout) as result:
                assert output(result, 0) == 5


def test_memory_limit(library: Library, models: dict[str, Path]) -> None:
    megabyte = 1 << 20
    with library.session_from_file(models["fill"], memory_limit=megabyte) as session:
        for _ in range(4):  # freed memory can be used again
            (y,) = run(session, {"dims": np.array([200_000], np.int64)}, ["y"])
            assert y.shape == (200_000,)
        with pytest.raises(CallError, match=r"OOM .*memory_limit") as failed:
            run(session, {"dims": np.array([300_000], np.int64)}, ["y"])
        assert (_code(failed, library), failed.value.node) == ("RESOURCE_EXHAUSTED", "y")
        # A result counts as long as it exists, and may outlive the session.
        bound = session.bind({"dims": Array(9, (1,), np.int64(200_000).tobytes())}, ["y"])
        kept = bound.run()
        with pytest.raises(CallError, match="OOM"):
            bound.run()
    assert output(kept, 0).sum() == 200_000
    kept.free()
    # Constants do not count: the first tensor that does is the output.
    with library.session_from_file(models["product"], memory_limit=1) as session:
        with pytest.raises(CallError, match=r"OOM .*memory_limit") as failed:
            run(session, {"x": np.ones((1, 3), np.float32)}, ["y"])
        assert (_code(failed, library), failed.value.node) == ("RESOURCE_EXHAUSTED", "y")


@pytest.mark.parametrize("dims", [[1 << 45], [1 << 31, 1 << 31, 1 << 31], [-1], [1 << 62, 16]])
def test_impossible_shape_is_an_error(
    dims: list[int], library: Library, models: dict[str, Path]
) -> None:
    with library.session_from_file(models["fill"]) as session:
        with pytest.raises(CallError) as failed:
            run(session, {"dims": np.array(dims, np.int64)}, ["y"])
        assert _code(failed, library) in ("RESOURCE_EXHAUSTED", "INVALID_ARGUMENT")
        (y,) = run(session, {"dims": np.array([2], np.int64)}, ["y"])
        assert y.tolist() == [1, 1]


@pytest.mark.parametrize("offset", [0, 4])
def test_output_does_not_depend_on_the_inputs_memory(
    offset: int, library: Library, models: dict[str, Path]
) -> None:
    input_array = _aligned(_X, offset)
    with (
        library.session_from_file(models["pass"]) as session,
        _bound(session, input_array, ["same", "sum"]).run() as result,
    ):
        input_array[...] = 0
        assert (output(result, 0) == _X).all()
        assert output(result, 1) == _X.sum()


def test_variable_does_not_depend_on_the_inputs_memory(
    library: Library, models: dict[str, Path]
) -> None:
    input_array = _aligned(_X[1])
    with library.session_from_file(models["state"]) as session:
        with pytest.raises(CallError) as failed:
            run(session, {}, ["get"])
        assert failed.value.node == "get"
        _bound(session, input_array, ["set"]).run().free()
        input_array[...] = 0
        (found,) = run(session, {}, ["get"])
        assert (found == _X[1]).all()


def test_op_does_not_write_into_the_inputs_memory(
    library: Library, models: dict[str, Path]
) -> None:
    input_array = _aligned(_X.reshape(8, 4)[:4])
    with library.session_from_file(models["write"]) as session:
        with _bound(session, input_array, ["y"]).run() as result:
            assert output(result, 0)[0].tolist() == [7] * 4
        assert (input_array == _X.reshape(8, 4)[:4]).all()


def test_aligned_input_is_not_copied(shared: Path, models: dict[str, Path]) -> None:
    """In its own process, whose peak is not that of other tests."""
    size = 64 << 20
    found = subprocess.run(
        [sys.executable, "-m", "e2e.sessions.input_memory", shared, models["pass"], str(size)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        capture_output=True,
        text=True,
    )
    aligned, misaligned = (int(line) for line in found.stdout.split())
    assert aligned < size // 8
    assert misaligned > size // 2


def test_output_buffers(library: Library, models: dict[str, Path]) -> None:
    with library.session_from_file(models["pass"]) as session:
        bound = _bound(session, _aligned(_X), ["same", "sum"])
        memory = np.full(2 * 16 + 1, -1, np.float32)
        buffers = (Buffer * 2)(Buffer(memory.ctypes.data, 4 * 32), Buffer(None, 0))
        with bound.run(output_buffers=buffers) as result:
            assert (memory[:32].reshape(2, 16) == _X).all() and memory[32] == -1
            assert (output(result, 0) == _X).all()
            assert output(result, 1) == _X.sum()
        memory[...] = -1
        buffers[0].size = 4 * 32 - 1
        with pytest.raises(CallError, match="'same' has 128 bytes, but its buffer only 127") as bad:
            bound.run(output_buffers=buffers)
        assert _code(bad, library) == "OUT_OF_RANGE"
        assert (memory == -1).all()


def test_strings(library: Library, models: dict[str, Path]) -> None:
    texts = [b"", b"a", "µ".encode(), b"zero\0byte", b"long" * 1000]
    strings = (String * 6)(*(String(text, len(text)) for text in texts), String(None, 0))
    with library.session_from_file(models["text"]) as session:
        bound = session.bind({"text": Array(_STRING, (6,), bytes(strings))}, ["joined"])
        with bound.run() as result:
            found = (String * 6).from_buffer_copy(result.output(0).data)
            pointers = (ctypes.c_size_t * 12).from_buffer_copy(found)
            got = [ctypes.string_at(pointers[i], pointers[i + 1]) for i in range(0, 12, 2)]
        assert got == [text + b"!" for text in (*texts, b"")]
        buffers = (Buffer * 1)(Buffer(ctypes.addressof(strings), ctypes.sizeof(strings)))
        with pytest.raises(CallError, match="'joined': strings cannot have a buffer"):
            bound.run(output_buffers=buffers)
        bound.inputs[0].size -= 1
        with pytest.raises(CallError, match="input 'text': it has 95 bytes"):
            bound.run()


def test_run_model_with_strings(
    built: dict[str, Path], models: dict[str, Path], tmp_path: Path
) -> None:
    np.save(tmp_path / "text.npy", np.array(["a", "µ", ""]))
    np.save(tmp_path / "good.npy", np.array([b"a!", "µ!".encode(), b"!"]))
    np.save(tmp_path / "bad.npy", np.array([b"a!", b"u!", b"!"]))

    def ran(option: str) -> subprocess.CompletedProcess[str]:
        words: list[str | Path] = [built["run_model"], models["text"]]
        words += ["--input=text=text.npy", option]
        return subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)

    assert ran("--output=joined=out.npy").returncode == 0
    assert (np.load(tmp_path / "out.npy") == np.load(tmp_path / "good.npy")).all()
    assert ran("--expect=joined=good.npy").returncode == 0
    wrong = ran("--expect=joined=bad.npy")
    assert wrong.returncode == 1
    assert (
        "'joined' differs in 1 of 3 strings; element 1 is '\\xc2\\xb5!', not 'u!'" in wrong.stderr
    )


def _task_count() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def test_sessions_share_threads(library: Library, models: dict[str, Path]) -> None:
    calls = library.calls
    assert calls.tfcarve_threads_new(-1) is None
    assert calls.tfcarve_threads_new(1025) is None
    threads = calls.tfcarve_threads_new(4)
    before = _task_count()
    options = {"threads": 0, "shared_threads": threads}
    with (
        library.session_from_file(models["fill"], **options) as one,
        library.session_from_file(models["fill"], **options) as two,
    ):
        calls.tfcarve_threads_free(threads)  # the sessions keep them
        for session in (one, two) * 4:
            run(session, {"dims": np.array([1 << 23], np.int64)}, ["y"])
        assert before < _task_count() <= before + 4
    assert _task_count() == before
    other = calls.tfcarve_threads_new(2)
    with pytest.raises(CallError, match="threads is 2, but the session has shared_threads"):
        library.session_from_file(models["fill"], threads=2, shared_threads=other)
    calls.tfcarve_threads_free(other)


def test_sessions_run_at_the_same_time_on_shared_threads(
    library: Library, models: dict[str, Path]
) -> None:
    calls = library.calls
    threads = calls.tfcarve_threads_new(3)
    options = {"threads": 0, "shared_threads": threads}
    with (
        library.session_from_file(models["product"], **options) as products,
        library.session_from_file(models["pass"], **options) as sums,
        ThreadPoolExecutor(_CALLERS) as pool,
    ):
        calls.tfcarve_threads_free(threads)

        def multiply(factor: int) -> bool:
            (y,) = run(products, {"x": np.full((20_000, 3), factor, np.float32)}, ["y"])
            return y.shape == (20_000, 2) and bool((y == [6 * factor, 9 * factor]).all())

        def add(factor: int) -> bool:
            (total,) = run(sums, {"x": np.full((20_000, 16), factor, np.float32)}, ["sum"])
            return bool(total == 320_000 * factor)

        tasks = [partial(task, factor) for factor in range(_RUNS) for task in (multiply, add)]
        assert all(pool.map(lambda task: task(), tasks))


def test_threads_read_one_result(library: Library, models: dict[str, Path]) -> None:
    x = Array(_FLOAT, (2, 3), np.ones((2, 3), np.float32).tobytes())
    with (
        library.session_from_file(models["product"]) as session,
        session.bind({"x": x}, ["y", "top:1"]).run_traced() as result,
        ThreadPoolExecutor(_CALLERS) as pool,
    ):

        def read(_: int) -> tuple[Any, ...]:
            return output(result, 0).tolist(), output(result, 1).tolist(), result.trace()

        for y, column, trace in pool.map(read, range(_RUNS)):
            assert (y, column) == ([[6, 9]] * 2, [[1]] * 2)
            assert "y" in [node.node for node in trace]


def test_instruction_set_changes_during_runs(library: Library, models: dict[str, Path]) -> None:
    x = np.ones((1000, 3), np.float32)
    before = library.cpu()
    with (
        library.session_from_file(models["product"], threads=2) as session,
        ThreadPoolExecutor(_CALLERS) as pool,
    ):

        def select(name: str) -> bool:
            return library.set_cpu(name) and library.cpu() in cpu_features.supported()

        def multiply(_: str) -> bool:
            (y,) = run(session, {"x": x}, ["y"])
            return bool((y == [6, 9]).all())

        names = cpu_features.supported() * _RUNS
        tasks = [partial(task, name) for name in names for task in (select, multiply)]
        assert all(pool.map(lambda task: task(), tasks))
    assert library.set_cpu(before)


_LOG = """
import sys
import numpy as np
from e2e.sessions.numpy_session import run
from tfcarve.client.c_interface import LogSink
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
library, level = Library(sys.argv[1]), int(sys.argv[3])
got = []
sink = LogSink(lambda context, severity, text: got.append((context, severity, text)))
assert library.calls.tfcarve_set_log(sink, 7, -1) == 1
assert library.calls.tfcarve_set_log(sink, 7, 5) == 1
assert library.calls.tfcarve_set_log(sink, 7, level) == 0
with library.session_from_file(sys.argv[2], memory_limit=64) as session:
    try:
        run(session, {"x": np.ones((100, 3), np.float32)}, ["y"])
    except CallError:
        print(got)
"""


@pytest.mark.parametrize(("level", "logs"), [(0, True), (1, True), (2, False), (4, False)])
def test_log(level: int, logs: bool, shared: Path, models: dict[str, Path]) -> None:
    """The only message is the warning of a run that lacks memory: there is none about the CPU."""
    done = subprocess.run(
        [sys.executable, "-c", _LOG, shared, models["product"], str(level)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TF_CPP_MIN_LOG_LEVEL": "0"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    found = ast.literal_eval(done.stdout)
    assert [(context, severity) for context, severity, _ in found] == [(7, 1)] * logs
    assert all(b"OP_REQUIRES failed" in text for _, _, text in found)


def test_log_changes_during_runs(shared: Path, models: dict[str, Path]) -> None:
    """Each failed run writes one warning, which one of the functions gets, with the value for it."""
    done = subprocess.run(
        [sys.executable, "-m", "e2e.sessions.changing_log", shared, models["product"], str(_RUNS)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "TF_CPP_MIN_LOG_LEVEL": "0"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert int(done.stdout) == _RUNS
