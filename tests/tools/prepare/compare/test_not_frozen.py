"""`tfcarve compare` with models that are not frozen: TensorFlow runs them as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from compared import compared, saved, sides, tf1, two_layers

from tfcarve.cli import main
from tfcarve.prepare.compare import comparison, report
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.tensors import from_array
from tfcarve.prepare.original.run import Original
from tfcarve.releases import known

pytest_plugins = ["forked"]
pytestmark = pytest.mark.usefixtures("forked", "reused")


def _two_outputs() -> Any:
    """A model whose output `scores` is computed from its output `features`."""
    layers = tf.keras.layers
    tf.keras.backend.clear_session()  # layers have the same names each time
    tf.keras.utils.set_random_seed(1)
    x = layers.Input((4,), name="x")
    features = layers.Dense(3, name="features")(x)
    return tf.keras.Model(x, [features, layers.Dense(2, name="scores")(features)])


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the SavedModel `m`, which is also the current directory."""
    monkeypatch.chdir(tmp_path)
    tf.saved_model.save(_two_outputs(), "m")
    return tmp_path


def test_all_outputs_of_the_signature(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transform", "m", "-o", "m.pb", "--preset", "mobile"]) == 0
    status, document, error = compared(capsys, "m", "m.pb")
    assert (status, error) == (0, "")
    assert {output["name"] for output in document["outputs"]} == {"features", "scores"}
    assert document["frozen_differs"] == []
    _, document, _ = compared(capsys, "m", "m.pb", "--outputs", "scores")
    assert [output["name"] for output in document["outputs"]] == ["scores"]


def test_declared_outputs_alone_are_compared(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The graph's other output is an inner tensor of the SavedModel, which the SavedModel does not declare."""
    inner = "model/scores/MatMul"
    assert main(["freeze", "m", "-o", "m.pb"]) == 0
    ends = ["--inputs", "x", "--outputs", f"features,{inner}"]
    assert (
        main(["transform", "m.pb", "-o", "cut.pb", *ends, "--transforms", "strip_unused_nodes"])
        == 0
    )
    status, document, error = compared(capsys, "cut.pb", "m")
    assert (status, error) == (0, "")
    assert [output["name"] for output in document["outputs"]] == ["features"]
    assert document["not_compared"] == [inner, "scores"]


def test_a_changed_weight_is_detected(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = _two_outputs()
    weights = model.get_layer("scores").weights[0]
    weights.assign_add(np.full(weights.shape, 1e-3, np.float32))
    tf.saved_model.save(model, "changed")
    assert main(["freeze", "changed", "-o", "changed.pb"]) == 0
    status, document, error = compared(capsys, "m", "changed.pb")
    assert status == 1
    assert document["first_difference"]["node"].startswith("model/scores/MatMul")
    assert document["frozen_differs"] == []
    assert "1 of 2 outputs by more than 1e-05" in error


def test_an_output_that_is_not_of_the_signature(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, error = compared(capsys, "m", "m", "--outputs", "model/scores/MatMul")
    assert status == 2
    assert "'model/scores/MatMul' is not an output of the model: it has features, scores" in error


def test_freezing_that_changes_an_output(folder: Path) -> None:
    """A graph with other weights stands for a wrong result of freezing."""
    build = tf1.saved_model.build_tensor_info
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        two_layers()()
        ends = [{name: build(graph.get_tensor_by_name(f"{name}:0"))} for name in ("x", "y")]
        builder = tf1.saved_model.Builder("plain")
        signature = tf1.saved_model.build_signature_def(*ends)
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    right, wrong = saved(folder, "a", two_layers()), saved(folder, "b", two_layers(1.0, 1.01))
    original = Original(Path("plain"), known.release(), Options())
    sample = {Ref("x"): from_array(np.ones((1, 3), np.float32))}
    with sides(right, wrong) as (a, b):
        for graph_side, changed in ((a, ()), (b, ("b.pb",))):
            side = replace(graph_side, original=original)
            found = comparison.compare(a, side, [Ref("y")], [sample], 1e-5)
            assert not found.over()
            found = comparison.compare(side, b, [Ref("y")], [sample], 1e-5)
            assert found.over() == [Ref("y")]
            assert found.frozen_differs == changed
            text = str(report.problems(found))
            assert ("`tfcarve freeze` writes differs" in text) == bool(changed)


def test_a_signature_of_a_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(saved(tmp_path, "a", two_layers()))
    output = ["-o", str(tmp_path / "b.pb")]
    commands = [
        ["freeze", path, *output],
        ["transform", path, *output, "--preset", "mobile"],
        ["compare", path, path],
        ["golden", path, "--output", f"y={tmp_path}/y.npy"],
    ]
    for command in commands:
        for option, value in (("--signature", "train"), ("--tags", "train")):
            assert main([*command, option, value]) == 2
            error = capsys.readouterr().err
            assert f"is a GraphDef, which has no signatures and no tags: remove {option}" in error
