"""A library that runs plans computes full TensorFlow's outputs, and the same bits as one that runs TensorFlow's session.

The library with a session takes long to compile: only the run of all cases has it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import extent
from built import published
from e2e.graphs import file_reads, vector_graph
from e2e.random_cases import control_flow, seeded_examples
from e2e.sessions import numpy_session
from models import frozen
from tfcarve.client.c_interface import Status
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.client.result import Result
from tfcarve.client.session import Session

_T = TypeVar("_T")
_SHARED_LIBRARY = "libtensorflow-core.so"
# Each runtime's group of libraries (tests/built/groups.py), and its target.
_LIBRARIES: Mapping[str, tuple[str, str]] = extent.of(
    {"plan": ("shared", "//shared:library")},
    {name: ("runtimes", f"//runtimes:{name}") for name in ("plan", "session")},
)
_NEEDS_SESSION = pytest.mark.skipif(
    "session" not in _LIBRARIES, reason="only the run of all cases has the library with a session"
)
_PROGRAMS = extent.of(40, 1000)
_INPUTS = np.array([[0.5, -0.25, 1.5], [-2.0, 0.125, -0.5]], np.float32)


def _file(runtime: str, name: str) -> Path:
    """Returns a file of the library with a runtime."""
    group, target = _LIBRARIES[runtime]
    return published.of(group).named(target)[name]


@pytest.fixture(name="libraries", scope="module")
def _libraries() -> dict[str, Library]:
    return {name: Library(_file(name, _SHARED_LIBRARY)) for name in _LIBRARIES}


def _outputs(library: Library, graph: Any, feeds: np.ndarray[Any, Any]) -> Iterator[bytes]:
    data = graph.SerializeToString(deterministic=True)
    with library.session_from_bytes(data, 1) as session:
        for fed in feeds:
            (found,) = numpy_session.run(session, {frozen.INPUT: fed}, [frozen.OUTPUT])
            yield found.tobytes()


def _full_tensorflows(graph: Any, fed: np.ndarray[Any, Any]) -> Any:
    """Returns full TensorFlow's output. Its graph optimizers remove the value of some conditions: they are off."""
    config = tf.compat.v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as imported:
        tf.import_graph_def(graph, name="")
        with tf.compat.v1.Session(graph=imported, config=config) as session:
            return session.run(f"{frozen.OUTPUT}:0", {f"{frozen.INPUT}:0": fed})


def test_selections_say_what_runs_the_models() -> None:
    for name in _LIBRARIES:
        selection = _file(name, "selection.json").read_text(encoding="utf-8")
        assert json.loads(selection)["runtime"] == name


@_NEEDS_SESSION
def test_a_plan_is_smaller() -> None:
    plan, session = (_file(name, _SHARED_LIBRARY).stat().st_size for name in ("plan", "session"))
    assert plan < 0.6 * session


def _same(found: Mapping[str, _T], computed: object = "") -> _T:
    """Returns what the libraries with each runtime computed, which is the same; `computed` describes it in the message."""
    first, *others = found.values()
    assert all(other == first for other in others), computed
    return first


@pytest.mark.parametrize("functions", [True, False])
def test_random_programs(functions: bool, libraries: dict[str, Library]) -> None:
    programs = seeded_examples.drawn(control_flow.PROGRAMS, _PROGRAMS // 2, frozen.SEED)
    for program in (control_flow.COMPLETE, *programs):
        graph = control_flow.graph(program, functions=functions)
        outputs = {name: list(_outputs(one, graph, _INPUTS)) for name, one in libraries.items()}
        for fed, found in zip(_INPUTS, _same(outputs, program), strict=True):
            expected = _full_tensorflows(graph, fed)
            np.testing.assert_allclose(
                np.frombuffer(found, np.float32), expected, 1e-5, 1e-6, err_msg=str(program)
            )


def test_the_programs_branch() -> None:
    """The control: the outputs of the programs differ, and both forms of conditions and loops occur."""
    programs = seeded_examples.drawn(control_flow.PROGRAMS, 20, frozen.SEED)
    ops = {
        functions: {
            node.op
            for program in programs
            for node in control_flow.graph(program, functions=functions).node
        }
        for functions in (True, False)
    }
    assert {"StatelessIf", "StatelessWhile"} & ops[True]
    assert {"Switch", "Merge", "Enter", "Exit"} <= ops[False]


_DAMAGES = {
    "cycle": lambda graph: _node(graph, "sum").input.__setitem__(0, "sum"),
    "absent": lambda graph: _node(graph, "sum").input.__setitem__(0, "nowhere"),
    "index": lambda graph: _node(graph, "sum").input.__setitem__(0, f"{frozen.INPUT}:7"),
    "twice": lambda graph: graph.node.add().CopyFrom(graph.node[0]),
    "type": lambda graph: _node(graph, "sum").attr["T"].__setattr__("type", 3),
    "count": lambda graph: _node(graph, "sum").input.append(frozen.INPUT),
}


def _node(graph: Any, name: str) -> Any:
    (found,) = [node for node in graph.node if node.name == name]
    return found


@pytest.mark.parametrize("damage", _DAMAGES)
def test_damaged_graphs_are_refused(damage: str, libraries: dict[str, Library]) -> None:
    with tf.Graph().as_default() as made:
        given = tf.compat.v1.placeholder(tf.float32, [3], name=frozen.INPUT)
        tf.identity(tf.add(given, given, name="sum"), name=frozen.OUTPUT)
    graph = made.as_graph_def()
    for library in libraries.values():
        list(_outputs(library, graph, _INPUTS))  # the control
    _DAMAGES[damage](graph)
    for name, library in libraries.items():
        with pytest.raises(CallError) as failed:
            list(_outputs(library, graph, _INPUTS))
        assert failed.value.code == Status.INVALID_ARGUMENT, (name, str(failed.value))


def _error(library: Library, graph: Any, **options: Any) -> CallError:
    """Returns the error of loading and running a graph."""
    data = graph.SerializeToString(deterministic=True)
    fed = {frozen.INPUT: numpy_session.packed(_INPUTS[0], [])}
    with pytest.raises(CallError) as failed, library.session_from_bytes(data, 1) as session:
        session.bind(fed, [frozen.OUTPUT]).run(**options)
    return failed.value


def _called() -> Any:
    """A graph with one function, which its node calls."""
    program = (control_flow.Call((control_flow.Apply(0, 0, 1),)),)
    return control_flow.graph(program, functions=True)


def test_function_that_calls_itself(libraries: dict[str, Library]) -> None:
    graph = _called()
    (function,) = graph.library.function
    (call,) = [node for node in graph.node if node.op == "PartitionedCall"]
    inner = function.node_def.add()
    inner.CopyFrom(call)
    inner.name = "again"
    inner.input[:] = [argument.name for argument in function.signature.input_arg]
    function.ret[function.signature.output_arg[0].name] = "again:output:0"
    error = _error(libraries["plan"], graph)
    assert (error.code, error.node) == (Status.INVALID_ARGUMENT, "again")
    assert "calls itself" in str(error)


def test_functions_that_do_not_fit_their_node(libraries: dict[str, Library]) -> None:
    graph = _called()
    graph.library.function[0].signature.input_arg[0].type = tf.int32.as_datatype_enum
    error = _error(libraries["plan"], graph)
    assert error.code == Status.INVALID_ARGUMENT
    graph = _called()
    graph.library.function[0].signature.input_arg.add(name="more", type=tf.int32.as_datatype_enum)
    error = _error(libraries["plan"], graph)
    assert "do not have the types of its inputs or outputs" in str(error)
    graph = _called()
    del graph.library.function[:]
    assert "is not in the model" in str(_error(libraries["plan"], graph))


def test_branch_that_is_not_taken_has_no_value(libraries: dict[str, Library]) -> None:
    program = (control_flow.If(1, (control_flow.Apply(0, 0, 1),), (control_flow.Apply(1, 0, 1),)),)
    graph = control_flow.graph(program, functions=False)
    (merge,) = [node for node in graph.node if node.op == "Merge"]
    for library in libraries.values():
        errors = []
        for fetched in merge.input:
            try:
                data = graph.SerializeToString(deterministic=True)
                with library.session_from_bytes(data, 1) as session:
                    numpy_session.run(session, {frozen.INPUT: _INPUTS[0]}, [fetched])
            except CallError as error:
                errors.append(str(error))
        (error,) = errors
        assert "does not have value" in error


@pytest.mark.parametrize("functions", [True, False])
def test_loop_without_end_has_a_deadline(functions: bool, libraries: dict[str, Library]) -> None:
    program = (control_flow.While(0, 1 << 30, (control_flow.Apply(3, 0, 1),)),)
    graph = control_flow.graph(program, functions=functions)
    for library in libraries.values():
        error = _error(library, graph, timeout_ms=200)
        assert error.code == Status.DEADLINE_EXCEEDED


def test_frames_that_do_not_match(libraries: dict[str, Library]) -> None:
    graph = control_flow.graph(
        (control_flow.While(0, 2, (control_flow.Apply(0, 0, 1),)),), functions=False
    )
    outside = next(node for node in graph.node if node.op == "Exit")
    inside = next(node for node in graph.node if node.op == "NextIteration")
    inside.input[0] = outside.name
    assert "different frames" in str(_error(libraries["plan"], graph))


# Sizes of inputs, in order: runs that repeat use the memory that was planned after the first one; a run with another size does not.
_SIZES = (5000, 5000, 5000, 70_000, 5000, 5000, 5000, 30, 5000, 70_000, 5000, 70_000, 5000, 5000)


def _fed(run: int) -> Mapping[str, Any]:
    generator = np.random.default_rng(run)
    values = generator.standard_normal(_SIZES[run % len(_SIZES)], np.float32)
    return {frozen.INPUT: numpy_session.packed(values, [])}


def _read(results: Sequence[Result], count: int) -> list[list[bytes]]:
    """Returns the first outputs of results, and frees the results when all are read."""
    found = [[result.output(index).data for index in range(count)] for result in results]
    for result in results:
        result.free()
    return found


def _results(session: Session, runs: Iterable[int]) -> list[list[bytes]]:
    """Returns the outputs of a session's runs, which are read when all runs are done."""
    outputs = [frozen.OUTPUT, vector_graph.SECOND]
    return _read([session.bind(_fed(run), outputs).run() for run in runs], len(outputs))


def test_runs_share_memory(libraries: dict[str, Library]) -> None:
    data = vector_graph.graph().SerializeToString()
    runs = range(3 * len(_SIZES))
    shared, alone = {}, []
    for name, library in libraries.items():
        with library.session_from_bytes(data, 1) as session:
            shared[name] = _results(session, runs)
    for run in runs:
        with libraries["plan"].session_from_bytes(data, 1) as session:
            alone += _results(session, [run])
    assert len({first for first, _ in alone}) == len(runs)  # the control: they differ
    assert _same(shared) == alone


def test_runs_at_once_have_memory_of_their_own(libraries: dict[str, Library]) -> None:
    data = vector_graph.graph().SerializeToString()
    same_size = [run * len(_SIZES) for run in range(40)]
    with (
        libraries["plan"].session_from_bytes(data, 1) as plan,
        ThreadPoolExecutor(4) as threads,
    ):
        expected = _results(plan, same_size)
        found = threads.map(lambda _: _results(plan, same_size), range(8))
        assert all(outputs == expected for outputs in found)


def test_runs_with_too_many_blocks_for_a_plan(libraries: dict[str, Library]) -> None:
    """A loop that allocates in each of its iterations."""
    with tf.Graph().as_default() as made:
        x = tf.compat.v1.placeholder(tf.float32, [None], name=frozen.INPUT)
        _, found = tf.while_loop(
            lambda i, _: i < 3000, lambda i, y: (i + 1, tf.tanh(y) + y), (tf.constant(0), x)
        )
        tf.identity(found, name=frozen.OUTPUT)
    data = made.as_graph_def().SerializeToString()
    values = np.linspace(-0.1, 0.1, 2000, dtype=np.float32)
    fed = {frozen.INPUT: numpy_session.packed(values, [])}
    found = {}
    for name, library in libraries.items():
        with library.session_from_bytes(data, 1) as session:
            bound = session.bind(fed, [frozen.OUTPUT])
            found[name] = _read([bound.run() for _ in range(2)], 1)
    first, second = _same(found)
    assert first == second
    expected = values.copy()
    for _ in range(3000):
        expected += np.tanh(expected)
    np.testing.assert_allclose(np.frombuffer(first[0], np.float32), expected, 1e-3)


def test_a_result_outlives_its_session(libraries: dict[str, Library]) -> None:
    data = vector_graph.graph().SerializeToString()
    with libraries["plan"].session_from_bytes(data, 1) as session:
        results = [session.bind(_fed(0), [frozen.OUTPUT]).run() for _ in range(3)]
    first, *others = _read(results, 1)
    assert all(other == first for other in others)


def test_a_kernel_asks_for_the_environment(libraries: dict[str, Library], tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(b"content")
    data = file_reads.graph().SerializeToString()
    for library in libraries.values():
        with library.session_from_bytes(data, 1) as session:

            def read(path: Path, session: Session = session) -> bytes:
                fed = {frozen.INPUT: np.array(str(path).encode(), object)}
                (found,) = numpy_session.run(session, fed, [frozen.OUTPUT])
                return found.item()

            assert read(file) == b"content"
            with pytest.raises(CallError) as failed:
                read(tmp_path / "absent.txt")
            assert failed.value.code == Status.NOT_FOUND


@_NEEDS_SESSION
def test_cpp_interface_of_a_library_with_a_session(tmp_path: Path) -> None:
    folders = {name: _file(name, "TensorFlowCoreConfig.cmake").parent for name in _LIBRARIES}
    source = Path(__file__).parent / "cmake_cpp"

    def configured(name: str) -> subprocess.CompletedProcess[str]:
        words = ["cmake", "-S", str(source), "-B", str(tmp_path / name)]
        option = f"-DTensorFlowCore_DIR={folders[name]}"
        return subprocess.run([*words, option], check=False, capture_output=True, text=True)

    refused = configured("plan")
    assert refused.returncode != 0
    assert "TensorFlowCore::cpp" in refused.stderr
    done = configured("session")
    assert done.returncode == 0, done.stderr
    subprocess.run(["cmake", "--build", tmp_path / "session"], check=True)
    graph = control_flow.graph(control_flow.COMPLETE, functions=False)
    model = tmp_path / "m.pb"
    model.write_bytes(graph.SerializeToString(deterministic=True))
    ran = subprocess.run(
        [tmp_path / "session" / "app_cpp", model], check=True, capture_output=True, text=True
    )
    expected = _full_tensorflows(graph, np.array([1, 2, 3], np.float32))
    np.testing.assert_allclose(np.array(ran.stdout.split(), np.float32), expected, 1e-4)


@_NEEDS_SESSION
def test_a_session_reserves_the_op_of_its_constants(libraries: dict[str, Library]) -> None:
    """In a graph and in a function. A plan has no such op: the graph lacks a kernel."""
    for nodes in (lambda graph: graph.node, lambda graph: graph.library.function[0].node_def):
        graph = _called()
        nodes(graph).add(name="own", op="_TfcarveConstant")
        error = _error(libraries["session"], graph)
        assert "node own: op _TfcarveConstant is reserved" in str(error)
        assert "op _TfcarveConstant, for node own" in str(_error(libraries["plan"], graph))
