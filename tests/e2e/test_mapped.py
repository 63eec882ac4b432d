"""Sessions of mapped files: results, memory, and changes of the file."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from built import published
from e2e.graphs import mapped_files
from e2e.graphs.constant_models import CASES, Case
from e2e.graphs.mapped_files import Files
from e2e.sessions.numpy_session import Array, output, run
from models import frozen
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library

_FORMS = ("bytes", "plain", "misaligned", "aligned", "package")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Files]:
    return mapped_files.of_all_cases(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def shared() -> Path:
    return published.of("shared").named("//shared:library")["libtensorflow-core.so"]


@pytest.fixture(scope="module")
def library(shared: Path) -> Library:
    return Library(shared)


def _require(outputs: list[Array], case: Case) -> None:
    for found, expected in zip(outputs, case.expected, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, 1e-5, 1e-5)


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("name", sorted(CASES))
def test_output_is_full_tensorflows(
    name: str, form: str, files: dict[str, Files], library: Library
) -> None:
    found, case = files[name], files[name].case
    opened = (
        library.session_from_bytes(found.plain.read_bytes())
        if form == "bytes"
        else library.session_from_file(getattr(found, form))
    )
    with opened as session:
        for _ in range(1 if name == "overwritten" else 3):
            _require(run(session, case.feeds, case.fetches), case)
        if form != "plain":  # there some may lie well by chance
            assert session.mapped_bytes == (case.mapped if form in ("aligned", "package") else 0)


def test_constant_can_be_fetched_and_fed_by_name(files: dict[str, Files], library: Library) -> None:
    case = files["dense"].case
    with library.session_from_file(files["dense"].aligned) as session:
        (weights,) = run(session, {}, ["weights:0"])
        assert weights.shape == (64, 256)
        (changed,) = run(session, {**case.feeds, "weights": -weights}, ["output"])
        (wanted,) = frozen.run(case.graph, {**case.feeds, "weights": -weights}, ["output"])
        np.testing.assert_allclose(changed, wanted, 1e-5, 1e-5)
        assert np.abs(changed - case.expected[0]).max() > 0.1, "it makes a difference"
        _require(run(session, case.feeds, case.fetches), case)


def _private_kilobytes(file: Path) -> int:
    """The size of this process's private copies of pages of a mapped file."""
    maps = Path("/proc/self/smaps").read_text(encoding="utf-8")
    name = re.escape(str(file))
    found = re.search(rf"^\S+ .* {name}\n(?:\w+:.*\n)*?Anonymous: +(\d+)", maps, re.M)
    assert found is not None, "it is not mapped"
    return int(found[1])


@pytest.mark.parametrize(("name", "writes"), [("in_place", False), ("overwritten", True)])
def test_only_a_kernel_that_writes_to_its_input_copies_a_page(
    name: str, writes: bool, files: dict[str, Files], library: Library
) -> None:
    before = files[name].aligned.read_bytes()
    with library.session_from_file(files[name].aligned) as session:
        run(session, files[name].case.feeds, files[name].case.fetches)
        assert (_private_kilobytes(files[name].aligned) > 0) == writes
    assert files[name].aligned.read_bytes() == before


def test_sessions_run_concurrently_with_their_own_constants(
    files: dict[str, Files], library: Library
) -> None:
    failed: list[BaseException] = []

    def work(found: Files) -> None:
        try:
            for _ in range(5):
                with library.session_from_file(found.aligned) as session:
                    for _ in range(5):
                        _require(run(session, found.case.feeds, found.case.fetches), found.case)
        except BaseException as error:
            failed.append(error)

    workers = [
        threading.Thread(target=work, args=(files[name],))
        for name in ("dense", "loop", "in_place", "dense")
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed


def test_result_outlives_session_and_file(
    files: dict[str, Files], library: Library, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.pb"
    copy.write_bytes(files["dense"].aligned.read_bytes())
    with library.session_from_file(copy) as session:
        result = session.bind({}, ["weights"]).run()
    copy.unlink()
    tensor = output(result, 0)
    assert str(copy) in Path("/proc/self/maps").read_text(encoding="utf-8")
    assert np.array_equal(tensor, output(result, 0))
    weights = next(n for n in files["dense"].case.graph.node if n.name == "weights")
    assert np.array_equal(tensor, tf.make_ndarray(weights.attr["value"].tensor))
    result.free()
    assert str(copy) not in Path("/proc/self/maps").read_text(encoding="utf-8")


def _truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size - 1)


def _halve(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _empty(file: Path) -> None:
    os.truncate(file, 0)


def _grow(file: Path) -> None:
    with file.open("ab") as stream:
        stream.write(b"\0")


def _rewrite(file: Path) -> None:
    data = file.read_bytes()
    with file.open("r+b") as stream:
        stream.write(data)
    os.utime(file, ns=(0, 0))


def _replace(file: Path) -> None:
    other = file.with_suffix(".other")
    other.write_bytes(b"another model")
    other.replace(file)


@pytest.mark.parametrize("change", [_truncate, _halve, _empty, _grow, _rewrite])
def test_changed_file_ends_the_runs_of_its_sessions(
    change: Callable[[Path], None], files: dict[str, Files], library: Library, tmp_path: Path
) -> None:
    case = files["dense"].case
    used, copied = tmp_path / "used.pb", tmp_path / "copied.pb"
    used.write_bytes(files["dense"].aligned.read_bytes())
    copied.write_bytes(files["dense"].misaligned.read_bytes())
    with library.session_from_file(used) as one, library.session_from_file(copied) as other:
        _require(run(one, case.feeds, case.fetches), case)
        change(used)
        change(copied)
        with pytest.raises(
            CallError, match=r"used\.pb: the file has changed since it was loaded"
        ) as failed:
            run(one, case.feeds, case.fetches)
        assert failed.value.status == 2
        _require(run(other, case.feeds, case.fetches), case)


@pytest.mark.parametrize("change", [_halve, _empty])
def test_constants_of_a_truncated_file_cannot_be_read(
    change: Callable[[Path], None], files: dict[str, Files], shared: Path, tmp_path: Path
) -> None:
    """The control: a run that reads them would end the process."""
    file = tmp_path / "used.pb"
    file.write_bytes(files["dense"].aligned.read_bytes())
    code = (
        "import sys\n"
        "from e2e.sessions.numpy_session import output\n"
        "from tfcarve.client.library import Library\n"
        "with Library(sys.argv[1]).session_from_file(sys.argv[2]) as session:\n"
        "    result = session.bind({}, ['weights']).run()\n"
        "    print('ready', flush=True)\n"
        "    sys.stdin.read()\n"
        "    output(result, 0)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, shared, file],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        change(file)
        process.stdin.close()
        assert process.wait(60) == -signal.SIGBUS


@pytest.mark.parametrize("change", [Path.unlink, _replace])
def test_file_may_be_deleted_or_replaced(
    change: Callable[[Path], None], files: dict[str, Files], library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "used.pb"
    file.write_bytes(files["dense"].aligned.read_bytes())
    with library.session_from_file(file) as session:
        change(file)
        _require(run(session, files["dense"].case.feeds, ["output"]), files["dense"].case)


def _invalid_file(folder: Path, name: str) -> Path:
    file = folder / name
    match name:
        case "folder":
            file.mkdir()
        case "empty":
            file.touch()
        case "pipe":
            os.mkfifo(file)
        case "words":
            file.write_text("these are words and no model")
        case "tag":
            file.write_bytes(b"\x0a\x10no node")
        case "huge":
            file.touch()
            os.truncate(file, 1 << 31)
    return file


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing", "can't be read: No such file or directory"),
        ("folder", "can't be read: it is a directory"),
        ("empty", "can't be read: it is empty"),
        ("pipe", "can't be read: it is not a regular file"),
        ("huge", "can't be read: it is larger than 2 GB"),
        (
            "words",
            "the file is neither a serialized GraphDef nor a whole file in TensorFlow's memmapped format",
        ),
        ("tag", "the graph is not a serialized GraphDef: it is damaged or truncated near byte 0"),
    ],
)
def test_invalid_file(name: str, message: str, library: Library, tmp_path: Path) -> None:
    file = _invalid_file(tmp_path, name)
    with pytest.raises(CallError) as failed:
        library.session_from_file(file)
    assert str(failed.value) == f"{file}: {message}"
    assert failed.value.status == 2


def test_null_path(library: Library) -> None:
    with pytest.raises(CallError, match="no path"):
        library.session_from_file(None)


@pytest.mark.parametrize("threads", [-1, 1025, -(1 << 31), (1 << 31) - 1])
def test_absurd_numbers_of_threads(threads: int, files: dict[str, Files], library: Library) -> None:
    message = f"threads is {threads}: pass 1 to 1024, or 0 for one per core"
    with pytest.raises(CallError, match=message) as failed:
        library.session_from_file(files["dense"].plain, threads)
    assert failed.value.status == 2
    with pytest.raises(CallError, match=message):
        library.session_from_bytes(files["dense"].plain.read_bytes(), threads)


def _constant(graph: Any, size: int) -> Any:
    return next(n for n in graph.node if len(n.attr["value"].tensor.tensor_content) == size)


def _wrong_size(graph: Any) -> None:
    tensor = _constant(graph, 1024).attr["value"].tensor
    tensor.tensor_content += b"\0"


def _other_shape(graph: Any) -> None:
    _constant(graph, 1024).attr["value"].tensor.tensor_shape.dim[0].size = 17


def _overflowing(graph: Any) -> None:
    for dim in _constant(graph, 1024).attr["value"].tensor.tensor_shape.dim:
        dim.size = 1 << 62


def _negative(graph: Any) -> None:
    _constant(graph, 1024).attr["value"].tensor.tensor_shape.dim[0].size = -16


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_wrong_size, "its value has 1025 bytes, which is not 256 elements of 4 bytes"),
        (_other_shape, "its value has 1024 bytes, which is not 272 elements of 4 bytes"),
        (_overflowing, "its value has no valid shape"),
        (_negative, "its value has no valid shape"),
    ],
)
def test_invalid_constants(
    damage: Callable[[Any], None],
    message: str,
    files: dict[str, Files],
    library: Library,
    tmp_path: Path,
) -> None:
    graph = tf.compat.v1.GraphDef.FromString(files["small"].plain.read_bytes())
    damage(graph)
    data = graph.SerializeToString()
    file = tmp_path / "damaged.pb"
    file.write_bytes(data)
    for make in (lambda: library.session_from_bytes(data), lambda: library.session_from_file(file)):
        with pytest.raises(CallError, match=f"node Const: {message}") as failed:
            make()
        assert failed.value.status == 2


def test_value_of_another_type(files: dict[str, Files], library: Library, tmp_path: Path) -> None:
    graph = tf.compat.v1.GraphDef.FromString(files["small"].plain.read_bytes())
    _constant(graph, 1024).attr["value"].tensor.dtype = 3
    file = tmp_path / "damaged.pb"
    file.write_bytes(graph.SerializeToString())
    with pytest.raises(CallError, match="node Const: its value does not have its dtype"):
        library.session_from_file(file)


def test_attributes_of_a_model_are_not_mistaken_for_tfcarves(
    files: dict[str, Files], library: Library, tmp_path: Path
) -> None:
    graph = tf.compat.v1.GraphDef.FromString(files["dense"].plain.read_bytes())
    for node in graph.node:
        if node.op == "Const":
            node.attr["index"].i = 1
    file = tmp_path / "added.pb"
    file.write_bytes(graph.SerializeToString())
    with library.session_from_file(file) as session:
        _require(run(session, files["dense"].case.feeds, ["output"]), files["dense"].case)


def _python(*arguments: str | Path) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)],
        check=False,
        text=True,
        capture_output=True,
        env=environment,
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout


@pytest.mark.parametrize("form", ["aligned", "package"])
def test_damaged_files_are_refused_or_run(
    form: str, files: dict[str, Files], shared: Path, tmp_path: Path
) -> None:
    model = getattr(files["small"], form)
    output = _python("e2e.sessions.damaged_graphs", shared, model, tmp_path, "2000")
    refused, ran = map(int, output.split())
    assert refused + ran == 2000
    assert refused > 200 and ran > 200, "not both occur"


# Rows of a constant of 32 MiB.
_LARGE = 32 * 1024


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Files:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [1, _LARGE], name=frozen.INPUT)
        weights = np.random.default_rng(1).random((_LARGE, 256), np.float32)
        tf.matmul(fed, tf.identity(tf.constant(weights)), name=frozen.OUTPUT)
    feeds = {frozen.INPUT: np.ones((1, _LARGE), np.float32)}
    case = Case(graph.as_graph_def(), feeds, _LARGE * 1024)
    return Files.of(case, tmp_path_factory.mktemp("large"), "large")


# A run itself needs far less memory than the constant.
@pytest.mark.parametrize(
    ("form", "file", "least", "most"),
    [
        ("file", "aligned", 0, _LARGE // 4),
        ("file", "package", 0, _LARGE // 4),
        ("file", "misaligned", _LARGE, _LARGE * 5 // 4),
        ("bytes", "plain", _LARGE, _LARGE * 5 // 4),
        ("reader", "aligned", _LARGE, _LARGE * 5 // 4),
        ("reader", "misaligned", _LARGE, _LARGE * 5 // 4),
    ],
)
def test_memory(form: str, file: str, least: int, most: int, large: Files, shared: Path) -> None:
    shape = ("1", str(_LARGE))
    output = _python(
        "e2e.sessions.session_memory", shared, getattr(large, file), form, "input", "output", *shape
    )
    before, after = map(int, output.split())
    assert least <= after - before <= most


def test_session_registers_no_kernels(shared: Path, files: dict[str, Files]) -> None:
    code = (
        "import sys; from tfcarve.client.library import Library\n"
        "library = Library(sys.argv[1]); before = library.kernel_count()\n"
        "with library.session_from_file(sys.argv[2]): print(before, library.kernel_count())\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, shared, files["dense"].aligned],
        check=True, text=True, stdout=subprocess.PIPE, env=environment,
    )  # fmt: skip
    before, after = map(int, done.stdout.split())
    assert before == after > 0
