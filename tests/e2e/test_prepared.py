"""Models that the build prepares: one that runs in its library, and a broken one that fails the build."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

from e2e.builds import app_workspace
from tfcarve.app.workspace import Build, Workspace
from tfcarve.cli import main
from tfcarve.prepare.graph import graph_file

MODEL = "//prepared:model"
_COMPARISON = "--output_groups=+comparison"


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


def _ops(app: Workspace, target: str, flags: list[str]) -> set[str]:
    files = app.build([target], flags).files(target)
    document = next(f for f in files if f.name == "selection.json").read_bytes()
    return {op["name"] for op in json.loads(document)["ops"]}


def _comparison(build: Build, target: str) -> Any:
    (file,) = build.files(target, "comparison")
    return json.loads(file.read_bytes())


def test_selection_is_for_the_prepared_model(app: Workspace) -> None:
    ops = _ops(app, "//prepared:library_selection", [])
    assert {"Conv2D", "BiasAdd", "Relu"} <= ops
    assert "FusedBatchNormV3" not in ops


def test_model_is_compared_with_its_source(app: Workspace) -> None:
    found = _comparison(app.build([MODEL], [_COMPARISON]), MODEL)
    assert found["samples"] == 4, "samples.npz has 4"
    assert [output["name"] for output in found["outputs"]] == ["output"]
    assert 0 < found["outputs"][0]["largest"] < 1e-6, "folded weights change the last digits"


def test_command_line_gives_the_same_bytes(
    app: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The command of the action, run by hand."""
    (model,) = app.build([MODEL]).files(MODEL)
    output = tmp_path_factory.mktemp("output") / "model.pb"
    source = app.folder / "prepared/source.pbtxt"
    command = ["transform", str(source), "-o", str(output), "--outputs", "output"]
    assert main([*command, "--preset", "mobile"]) == 0
    assert output.read_bytes() == model.read_bytes()


def test_ranges_are_measured_in_the_build(app: Workspace) -> None:
    target = "//prepared:int8"
    build = app.build([target], [_COMPARISON])
    (model,) = build.files(target)
    ops = [node.op for node in graph_file.read_graph(model).nodes]
    assert "QuantizedConv2D" in ops
    assert {"RequantizationRange", "Min", "Max"}.isdisjoint(ops)
    found = _comparison(build, target)
    assert 1e-6 < found["outputs"][0]["largest"] < 0.02


def _write_custom_op(app: Workspace) -> None:
    """Writes a graph with a custom op and an assertion, and the op's library."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        given = v1.placeholder(tf.float32, [None, 2], name="input")
        scaled = tf.identity(given, name="scaled")
        with tf.control_dependencies([tf.Assert(tf.reduce_all(scaled < 100), [scaled])]):
            tf.identity(scaled, name="output")
    definition = graph.as_graph_def()
    (node,) = (node for node in definition.node if node.name == "scaled")
    node.op = "AppScale"
    node.attr["factor"].f = 2.5
    folder = app.folder / "prepared"
    (folder / "custom_op.pb").write_bytes(definition.SerializeToString(deterministic=True))
    flags = [*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags()]
    source = app.folder / "app_scale.cc"
    words = ["g++", "-shared", "-fPIC", source, "-o", folder / "app_scale.so", *flags]
    subprocess.run(words, check=True)


def test_custom_op_and_assertions(app: Workspace) -> None:
    _write_custom_op(app)
    target = "//prepared:of_custom_op"
    build = app.build([target], [_COMPARISON])
    (model,) = build.files(target)
    ops = {node.op for node in graph_file.read_graph(model).nodes}
    assert "AppScale" in ops
    assert "Assert" not in ops
    found = _comparison(build, target)
    assert [(output["name"], output["largest"]) for output in found["outputs"]] == [("output", 0)]
    # The control: only the library makes the op known.
    done = app.bazel(["build", "--noshow_progress", "//prepared:of_unknown_op"])
    assert done.returncode == 1, done.stdout
    assert "TensorFlow does not have the op AppScale" in done.stdout


@pytest.mark.parametrize("target", ["//prepared:broken", "//prepared:of_broken"])
def test_broken_model_fails_the_build(app: Workspace, target: str) -> None:
    done = app.bazel(["build", "--noshow_progress", target])
    assert done.returncode == 1, done.stdout
    for part in (
        "prepared/broken.pb differs from prepared/source.pbtxt: 1 of 1 outputs by more than 1e-09",
        "first node that differs: 'output' (Softmax)",
        "its inputs: relu now norm",
        "--norun_validations skips it",
    ):
        assert part in done.stdout


def test_broken_model_is_built_without_validation_actions(app: Workspace) -> None:
    """So only the comparison made the build fail."""
    ops = _ops(app, "//prepared:of_broken", ["--norun_validations"])
    assert "Softmax" in ops
    assert "Relu" not in ops


def test_output_of_the_library_is_that_of_the_source(app: Workspace) -> None:
    flags = ["--test_output=errors", "--noshow_progress"]
    done = app.bazel(["test", *flags, "//prepared:model_test"])
    assert done.returncode == 0, done.stdout
