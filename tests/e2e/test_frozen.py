"""The build freezes SavedModels and Keras files."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from demo import nested
from e2e.builds import app_workspace
from tfcarve.app.workspace import Workspace
from tfcarve.models import read


class _Digits(tf.Module):
    """A SavedModel with two signatures."""

    def __init__(self, model: tf.keras.Model) -> None:
        super().__init__()
        self.model = model
        self.scale = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([1, 6], tf.float32, name="image")])
    def digit(self, image: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"digit": self.model(image)}

    @tf.function(input_signature=[tf.TensorSpec([1, 6], tf.float32, name="image")])
    def logits(self, image: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"logits": tf.math.cosh(image) * self.scale}


def _save(folder: Path, seed: int) -> None:
    """Saves a model in both formats, an input and its output."""
    tf.keras.utils.set_random_seed(seed)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((6,), name="image"),
            tf.keras.layers.Dense(5, "relu"),
            tf.keras.layers.Dense(3, "softmax", name="digit"),
        ]
    )
    model.save(folder / "digits.keras")
    module = _Digits(model)
    signatures = {"serving_default": module.digit, "logits": module.logits}
    tf.saved_model.save(module, str(folder / "digits"), signatures)
    image = np.linspace(-1, 1, 6, dtype=np.float32)[np.newaxis]
    np.save(folder / "image.npy", image)
    np.save(folder / "digit.npy", model(image).numpy())


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        _save(workspace.folder / "frozen", seed=1)
        yield workspace


def _ops(app: Workspace, target: str) -> set[str]:
    document = app.build([target]).named(target)["selection.json"]
    return {op["name"] for op in json.loads(document.read_bytes())["ops"]}


def test_library_for_a_saved_model_needs_no_variables(app: Workspace) -> None:
    ops = _ops(app, "//frozen:library_selection")
    assert {"MatMul", "Relu", "Softmax"} <= ops
    assert not {"Cosh", "VarHandleOp", "ReadVariableOp", "RestoreV2", "PartitionedCall"} & ops


def test_keras_3_file(app: Workspace) -> None:
    program = os.path.join(os.environ["RUNFILES_DIR"], os.environ["SAVE"])
    subprocess.run([program, str(app.folder / "frozen"), "lstm"], check=True, capture_output=True)
    ops = _ops(app, "//frozen:of_keras3")
    assert {"MatMul", "Sigmoid", "Tanh"} <= ops
    assert not {"VarHandleOp", "ReadVariableOp"} & ops


def test_only_the_named_signatures_are_frozen(app: Workspace) -> None:
    ops = _ops(app, "//frozen:of_signature")
    assert "Cosh" in ops
    assert not {"MatMul", "VarHandleOp"} & ops


def test_without_freezing_it_keeps_its_variables(app: Workspace) -> None:
    assert {"MatMul", "Cosh", "VarHandleOp", "RestoreV2"} <= _ops(app, "//frozen:not_frozen")


_TESTS = ("//frozen:saved_model_test", "//frozen:keras_test")


@pytest.mark.parametrize("target", _TESTS)
def test_model_runs_in_its_library(app: Workspace, target: str) -> None:
    done = app.bazel(["test", "--test_output=errors", "--noshow_progress", target])
    assert done.returncode == 0, done.stdout


def test_changed_model_is_frozen_again(app: Workspace) -> None:
    """Its expected outputs change, too."""
    _save(app.folder / "frozen", seed=2)
    done = app.bazel(["test", "--noshow_progress", *_TESTS])
    assert done.returncode == 0, done.stdout


def test_saved_model_is_prepared(app: Workspace) -> None:
    (model,) = app.build(["//frozen:prepared"]).files("//frozen:prepared")
    ops = {node.op for node in read.read(model).nodes}
    assert "MatMul" in ops
    assert "ReadVariableOp" not in ops


def test_code_of_the_docs_is_the_apps(app: Workspace) -> None:
    text = (nested.source_tree() / "docs/prepare.md").read_text(encoding="utf-8")
    section = text.partition("### In BUILD files")[2].partition("\n## ")[0]
    (block,) = re.findall(r"^```starlark\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert block in (app.folder / "frozen/BUILD").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("//frozen:of_missing_signature", "no signature 'embedding'"),
        ("//frozen:of_directory", "frozen/digits is not a model"),
    ],
)
def test_model_that_can_not_be_frozen_fails_the_build(
    app: Workspace, target: str, message: str
) -> None:
    done = app.bazel(["build", "--noshow_progress", target])
    assert done.returncode == 1, done.stdout
    assert message in done.stdout
