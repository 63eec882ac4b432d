"""Functions of SavedModels without signatures: frozen, compared with the model, listed, and damaged."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import function_models
import numpy as np
import pytest
import tensorflow as tf
from freeze_running import frozen_here, graph_of, ops_of, run
from function_models import Call
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import saved_model_pb2

import extent
from tfcarve.cli import main
from tfcarve.commands.read_model import signatures_to_freeze
from tfcarve.errors import InvalidInput
from tfcarve.models.choice import Choice
from tfcarve.prepare.freeze import source
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.original import program
from tfcarve.prepare.original.messages import RunRequest
from tfcarve.releases import known

pytest_plugins = ["forked", "in_process"]

_NAMES = ("__call__@0", "__call__@1", "look_up", "ragged", "part.encode")
# Damaged models.
_CASES = extent.of(50, 150)


@pytest.fixture(name="saved", scope="module")
def _saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Call]]:
    """The model, and calls of its functions."""
    folder = tmp_path_factory.mktemp("functions") / "m"
    return folder, function_models.save(folder)


def _equal(found: Any, expected: Any) -> bool:
    if found.dtype == object:
        return bool(np.all(found == expected))
    return bool(found.shape == expected.shape and np.allclose(found, expected, atol=1e-6))


@pytest.mark.parametrize("name", _NAMES)
def test_outputs_are_equal(name: str, saved: tuple[Path, dict[str, Call]], tmp_path: Path) -> None:
    folder, calls = saved
    data = frozen_here(folder, tmp_path, signature=name)
    assert not ops_of(data) & {"VarHandleOp", "StatefulPartitionedCall", "HashTableV2"}
    call = calls[name]
    found = run(data, call.feeds, call.expected)
    assert all(_equal(found[key], array) for key, array in call.expected.items())
    placeholders = {n.name for n in graph_of(data).node if n.op == "Placeholder"}
    assert placeholders == set(call.feeds)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("name", _NAMES)
def test_the_model_itself_computes_the_same(
    name: str, saved: tuple[Path, dict[str, Call]], tmp_path: Path
) -> None:
    """As `tfcarve compare` runs it."""
    folder, calls = saved
    call = calls[name]
    request = RunRequest(
        model=source.request(folder, known.release(), Options(signature=name)),
        samples=2,
        inputs=tuple(call.feeds),
        outputs=tuple(call.expected),
    )
    fed = [tf.make_tensor_proto(array).SerializeToString() for array in call.feeds.values()]
    error, results = program.run(request, fed * 2, tmp_path)
    assert error == ""
    arrays = [tf.make_ndarray(tensor_pb2.TensorProto.FromString(data)) for data in results]
    expected = [*call.expected.values()] * 2
    assert all(_equal(*pair) for pair in zip(arrays, expected, strict=True))


@pytest.mark.usefixtures("forked")
def test_a_constant_argument(saved: tuple[Path, dict[str, Call]], tmp_path: Path) -> None:
    """The frozen graph and the model itself compute with its value.

    Here the model runs in a process of its own.
    """
    folder, calls = saved
    call = calls["look_up"]
    options = {"signature": "look_up", "constants": ("ids=[1, 3]",)}
    fed = {name: array for name, array in call.feeds.items() if name != "ids"}
    data = frozen_here(folder, tmp_path, **options)
    assert {n.name for n in graph_of(data).node if n.op == "Placeholder"} == fed.keys()
    frozen = run(data, fed, call.expected)
    request = RunRequest(
        model=source.request(folder, known.release(), Options(**options)),
        samples=1,
        inputs=tuple(fed),
        outputs=tuple(call.expected),
    )
    parts = [tf.make_tensor_proto(array).SerializeToString() for array in fed.values()]
    error, results = program.run(request, parts, tmp_path)
    assert error == ""
    for (name, array), result in zip(call.expected.items(), results, strict=True):
        assert _equal(frozen[name], array)
        assert _equal(tf.make_ndarray(tensor_pb2.TensorProto.FromString(result)), array)


def test_traces_differ(saved: tuple[Path, dict[str, Call]], tmp_path: Path) -> None:
    """The control of the comparisons."""
    folder, calls = saved
    call = calls["__call__@0"]
    data = frozen_here(folder, tmp_path, signature="__call__@1")
    found = run(data, call.feeds, call.expected)["output_0"]
    assert not _equal(found, call.expected["output_0"])


_FUNCTIONS = """\
  __call__@0(x: float32 [2], training=False)
  __call__@1(x: float32 [2], training=True)"""


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("serving_default", f"the model has none: pass a function with --signature; its functions are:\n{_FUNCTIONS}\n"),
        ("__call__", f"the function '__call__' has 2 traces: pass one of them:\n{_FUNCTIONS}"),
        ("__call__@2", "there is no signature '__call__@2': the model has none: pass a function"),
        ("count", "AssignAddVariableOp changes the variable 'calls' when the model runs"),
        ("stored._create_resource", ""),
    ],
)  # fmt: skip
def test_errors(
    signature: str, message: str, saved: tuple[Path, dict[str, Call]], tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput) as raised:
        frozen_here(saved[0], tmp_path, signature=signature)
    assert message in str(raised.value)


def _changed(folder: Path, to: Path, change: Callable[[Any], None]) -> Path:
    shutil.copytree(folder, to)
    file = to / "saved_model.pb"
    whole = saved_model_pb2.SavedModel.FromString(file.read_bytes())
    change(whole.meta_graphs[0])
    file.write_bytes(whole.SerializeToString())
    return to


def _concrete(meta_graph: Any, name: str) -> Any:
    functions = meta_graph.object_graph_def.concrete_functions
    return next(functions[key] for key in functions if f"_{name}_" in key)


def test_an_input_with_the_name_of_a_captured_constant(
    saved: tuple[Path, dict[str, Call]], tmp_path: Path
) -> None:
    folder, calls = saved
    names = []

    def change(meta_graph: Any) -> None:
        functions, objects = (
            meta_graph.object_graph_def.concrete_functions,
            meta_graph.object_graph_def.nodes,
        )
        for key in (key for key in functions if "___call__" in key):
            captured = [objects[number] for number in functions[key].bound_inputs]
            names[:] += [each.constant.operation for each in captured if each.HasField("constant")]
        for key in (key for key in functions if "___call__" in key):
            args = functions[key].canonicalized_input_signature.tuple_value.values[0]
            args.tuple_value.values[0].tensor_spec_value.name = names[0]

    path = _changed(folder, tmp_path / "m", change)
    call = calls["__call__@0"]
    data = frozen_here(path, tmp_path / "out", signature="__call__@0")
    found = run(data, {names[0]: call.feeds["x"]}, call.expected)["output_0"]
    assert _equal(found, call.expected["output_0"])


def _without_key(meta_graph: Any) -> None:
    objects = meta_graph.object_graph_def.nodes
    next(child for child in objects[0].children if child.local_name == "bias").local_name = "other"


def _with_a_capture(kind: str) -> Callable[[Any], None]:
    def change(meta_graph: Any) -> None:
        captured = _concrete(meta_graph, "encode").bound_inputs[0]
        getattr(meta_graph.object_graph_def.nodes[captured], kind).SetInParent()

    return change


def _capturing_itself(meta_graph: Any) -> None:
    objects = meta_graph.object_graph_def.nodes
    table = next(child.node_id for child in objects[0].children if child.local_name == "listed")
    children = {child.local_name: child.node_id for child in objects[table].children}
    (creator,) = objects[children["_create_resource"]].function.concrete_functions
    meta_graph.object_graph_def.concrete_functions[creator].bound_inputs.append(table)


def _without_functions(meta_graph: Any) -> None:
    del meta_graph.graph_def.library.function[:]


def _without_constants(meta_graph: Any) -> None:
    del meta_graph.graph_def.node[:]


@pytest.mark.parametrize(
    ("change", "signature", "message"),
    [
        (_without_key, "__call__@1", "does not have the variable 'Variable"),
        (_with_a_capture("user_object"), "part.encode", "captures user object, which freezing does not support"),
        (_with_a_capture("captured_tensor"), "part.encode", "captures captured tensor"),
        (_with_a_capture("resource"), "part.encode", "captures a resource that has no code to create it"),
        (_with_a_capture("asset"), "part.encode", ""),
        (_capturing_itself, "look_up", "captures itself, or is nested too deeply: the SavedModel is damaged"),
        (_without_functions, "part.encode", "is missing: the SavedModel is damaged"),
        (_without_constants, "__call__@0", "which is missing: the SavedModel is damaged"),
        (lambda m: _concrete(m, "encode").ClearField("bound_inputs"), "part.encode", "has 2 inputs and 1 outputs, but"),
        (lambda m: _concrete(m, "encode").bound_inputs.append(999), "part.encode", "captures an object that does not"),
        (lambda m: m.ClearField("object_graph_def"), "part.encode", "there is no signature 'part.encode'"),
    ],
)  # fmt: skip
def test_damaged_objects(
    change: Callable[[Any], None],
    signature: str,
    message: str,
    saved: tuple[Path, dict[str, Call]],
    tmp_path: Path,
) -> None:
    path = _changed(saved[0], tmp_path / "m", change)
    with pytest.raises(InvalidInput) as raised:
        frozen_here(path, tmp_path / "out", signature=signature)
    assert message in str(raised.value)


def _damage(meta_graph: Any, draw: random.Random) -> None:
    """Changes one of the objects or functions."""
    graph = meta_graph.object_graph_def
    one, other = draw.choice(graph.nodes), draw.choice(graph.nodes)
    key = draw.choice(sorted(graph.concrete_functions))
    concrete = graph.concrete_functions[key]
    kind = draw.randrange(6)
    if kind == 0:
        one.CopyFrom(other)
    elif kind == 1 and one.children:
        draw.choice(one.children).node_id = draw.randrange(-1, len(graph.nodes) + 2)
    elif kind == 2 and concrete.bound_inputs:
        place = draw.randrange(len(concrete.bound_inputs))
        concrete.bound_inputs[place] = draw.randrange(-1, len(graph.nodes) + 2)
    elif kind == 3:
        del graph.concrete_functions[key]
    elif kind == 4:
        concrete.canonicalized_input_signature.CopyFrom(concrete.output_signature)
    elif one.HasField("function"):
        one.function.concrete_functions[:] = [key]


def test_damaged_at_random(saved: tuple[Path, dict[str, Call]], tmp_path: Path) -> None:
    """Each of them is frozen or rejected with a message."""
    draw, refused = random.Random(4), 0
    for case in range(_CASES):

        def change(meta_graph: Any) -> None:
            for _ in range(draw.randint(2, 12)):
                _damage(meta_graph, draw)

        path = _changed(saved[0], tmp_path / str(case), change)
        try:
            frozen_here(path, tmp_path / "out", signature=_NAMES[case % len(_NAMES)])
        except InvalidInput as error:
            assert str(error)
            refused += 1
    # The control: both occur.
    assert _CASES // 10 < refused < _CASES * 9 // 10


def test_commands(
    saved: tuple[Path, dict[str, Call]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`inspect` lists the functions, with commands that freeze one."""
    folder = str(saved[0])
    assert main(["inspect", folder, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {each["name"] for each in document["model_functions"]} == {*_NAMES, "count"}
    assert document["model_functions"][-1]["name"] == "part.encode"
    freeze, shown, *_ = document["commands"]
    assert freeze[3:5] == ["--signature", "__call__@0"] and "output_0=output_0.npy" in shown
    assert document["commands_remark"] == "for the function __call__@0"
    assert main(["inspect", folder]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "functions for --signature: 6" in lines
    assert (
        "  ragged(rows: RaggedTensorSpec) -> output_0/0, output_0/1, output_1: float32 [?]" in lines
    )
    assert main(["inspect", folder, "--signature", "look_up"]) == 2
    assert "'look_up' is a function of the model, for which it must be frozen: --freeze" in (
        capsys.readouterr().err
    )


def test_signatures_to_freeze(saved: tuple[Path, dict[str, Call]]) -> None:
    """What `tfcarve select --freeze` freezes: signatures and functions."""
    folder = saved[0]
    wanted = Choice(signatures=("ragged", "none", "__call__@1"))
    assert signatures_to_freeze(folder, known.release(), wanted) == ("ragged", "__call__@1")
    for name, message in (("none", "no signature none"), ("__call__", "has 2 traces")):
        with pytest.raises(InvalidInput, match=message):
            signatures_to_freeze(folder, known.release(), Choice(signatures=(name,)))
