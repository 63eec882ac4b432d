"""Models of the newest converter, in interpreters from packages with a delegate that is carved for them.

The reference is the full TensorFlow Lite of the release that is carved: newer packages have no Flex delegate.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from e2e.builds import app_workspace
from flex import flex_app, flex_models, interpreters
from flex.interpreters import FULL, PLAIN, InterpreterError

_PACKAGE = "newest"
_RULES = """\
load("@tfcarve//rules:defs.bzl", "tf_flex_delegate")

tf_flex_delegate(
    name = "delegate",
    models = glob(["*.tflite"]),
)
"""


@dataclass(frozen=True)
class Converted:
    """A folder with the models, and their delegate."""

    folder: Path
    delegate: Path


@pytest.fixture(scope="module", name="converted")
def _converted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Converted]:
    folder = tmp_path_factory.mktemp("models")
    program = os.path.join(os.environ["RUNFILES_DIR"], os.environ["CONVERTER"])
    subprocess.run([program, folder], check=True, capture_output=True)
    with app_workspace.opened() as workspace:
        rules = folder / "BUILD"
        rules.write_text(_RULES)
        models = {f"{name}.tflite": folder / f"{name}.tflite" for name in flex_models.MAKERS}
        workspace.place(_PACKAGE, {"BUILD": rules}, "BUILD")
        workspace.place(_PACKAGE, models, "*.tflite")
        target = f"//{_PACKAGE}:delegate"
        yield Converted(folder, workspace.build([target]).named(target)[flex_app.LIBRARY])


@pytest.mark.parametrize("package", PLAIN)
@pytest.mark.parametrize("name", flex_models.MAKERS)
def test_outputs_are_those_of_full_tensorflow_lite(
    name: str, package: str, converted: Converted, tmp_path: Path
) -> None:
    inputs = flex_models.inputs(name)
    model = converted.folder / f"{name}.tflite"
    outputs = interpreters.run(FULL, "-", model, inputs, tmp_path)
    found = interpreters.run(package, str(converted.delegate), model, inputs, tmp_path)
    assert found.keys() == outputs.keys()
    for key, expected in outputs.items():
        assert interpreters.equal(found[key], expected), key
    with pytest.raises(InterpreterError):  # the control: without the delegate
        interpreters.run(package, "-", model, inputs, tmp_path)
