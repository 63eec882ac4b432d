"""The rules with a Flex delegate: tf_model_test of .tflite models, and models that a delegate refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import extent
from flex import flex_app, flex_models
from flex.flex_app import ONE_OP
from tfcarve import cli
from tfcarve.app.workspace import BuildError, Workspace


@pytest.fixture(scope="module", name="app")
def _app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with flex_app.opened(tmp_path_factory.mktemp("models")) as workspace:
        yield workspace


def test_models_that_need_no_delegate(app: Workspace) -> None:
    """The rule refuses them with the reason."""
    model = app.folder / flex_app.PACKAGE / "one_op.tflite"
    data = model.read_bytes()
    try:
        model.write_bytes(flex_models.without_tensorflow_ops())
        with pytest.raises(BuildError, match="has no TensorFlow ops .*: it needs no delegate"):
            app.build([ONE_OP])
    finally:
        model.write_bytes(data)


def _golden(model: Path, feeds: dict[str, Any], outputs: dict[str, Path], *options: str) -> None:
    """Writes the arrays that a model is fed to files next to it, and the outputs of full TensorFlow Lite."""
    words = ["golden", str(model), *options]
    for name, (file, array) in feeds.items():
        np.save(model.parent / file, array)
        words.append(f"--input={name}={model.parent / file}")
    assert cli.main([*words, *(f"--output={name}={path}" for name, path in outputs.items())]) == 0


@pytest.fixture(scope="module", name="tested")
def _tested(app: Workspace) -> Workspace:
    """The app, with the arrays of its tf_model_tests."""
    folder = app.folder / flex_app.PACKAGE
    one_op = {"x": ("one_op_input.npy", flex_models.one_input("one_op"))}
    _golden(folder / "one_op.tflite", one_op, {"Identity": folder / "one_op_output.npy"})
    words = {"x": ("words_input.npy", flex_models.one_input("words"))}
    _golden(folder / "words.tflite", words, {"Identity": folder / "words_output.npy"})
    rows = {"x": ("rows.npy", np.ones((2, 4), np.float32))}
    infer = "--signature=infer"
    _golden(folder / "trained.tflite", rows, {"logits": folder / "logits.npy"}, infer)
    wrong = np.load(folder / "one_op_output.npy")
    wrong[1, 2] += 0.01
    np.save(folder / "one_op_wrong.npy", wrong)
    return app


def _test(workspace: Workspace, *names: str) -> tuple[int, str]:
    targets = [f"//{flex_app.PACKAGE}:{name}" for name in names]
    done = workspace.bazel(["test", "--test_output=errors", "--noshow_progress", "--", *targets])
    return done.returncode, done.stdout


def test_model_tests_pass(tested: Workspace) -> None:
    status, log = _test(tested, "both_test", "one_op_test", *extent.of((), ("infer_test",)))
    assert status == 0, log


def test_wrong_output_fails_the_test(tested: Workspace) -> None:
    status, log = _test(tested, "wrong_test")
    assert status == 3, log
    assert "output 'Identity' differs in 1 of 6 numbers by more than the tolerance, 1e-05 *" in log
    assert re.search(r"[|]\); element 5 is \S+, not \S+ ", log)


def test_model_outside_of_the_delegate_fails_the_test(tested: Workspace) -> None:
    status, log = _test(tested, "outside_test")
    assert status == 3, log
    assert "words.tflite: tfcarve's Flex delegate: this library lacks 4 ops" in log
    assert "add the model to `models` of the tf_flex_delegate" in log
