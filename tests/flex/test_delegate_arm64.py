"""The carved Flex delegate for linux_arm64 in interpreters from packages, under qemu, with the outputs of full TensorFlow Lite.

Debian's Python for arm64 runs the aarch64 wheels of the interpreters. All runs in one of them share a process, because under
qemu starting one takes longer than the models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from demo import arm_python
from flex import flex_app, flex_models, interpreters
from flex.interpreters import FULL, PLAIN, InterpreterError, Run
from tfcarve.benchmark import emulated


@dataclass(frozen=True)
class App:
    """The models, and the delegate for arm64."""

    models: Path
    delegate: Path

    def runs(self, delegate: str) -> list[Run]:
        """Returns a run of each model."""
        return [
            Run(delegate, self.models / f"{name}.tflite", flex_models.inputs(name))
            for name in flex_models.MAKERS
        ]


@pytest.fixture(scope="module", name="app")
def _app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    models = tmp_path_factory.mktemp("models")
    with flex_app.opened(models) as workspace:
        yield App(models, flex_app.library(flex_app.arm64_files(workspace)))


@pytest.fixture(scope="module", name="expected")
def _expected(app: App, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    return interpreters.run_all(FULL, app.runs("-"), tmp_path_factory.mktemp("full"))


def _arm64(arguments: Sequence[str | Path]) -> list[str]:
    qemu = arm_python.without_root(emulated.emulator("aarch64"))
    return arm_python.unpacked("linux_arm64").command(qemu, arguments)


@pytest.mark.parametrize("package", PLAIN)
def test_outputs_are_those_of_full_tensorflow_lite(
    package: str, app: App, expected: list[dict[str, Any]], tmp_path: Path
) -> None:
    ways = (f"{app.delegate}", f"symbol:{app.delegate}")
    runs = [run for way in ways for run in app.runs(way)]
    found = interpreters.run_all(package, runs, tmp_path, _arm64)
    for run, outputs, right in zip(runs, found, expected * len(ways), strict=True):
        assert set(outputs) == set(right)
        for key, array in right.items():
            assert interpreters.equal(outputs[key], array), (run.delegate, run.model.name, key)


@pytest.mark.parametrize("package", PLAIN)
def test_a_model_needs_the_delegate(package: str, app: App, tmp_path: Path) -> None:
    """The control: without the delegate these interpreters have no TensorFlow ops."""
    one_op = Run("-", app.models / "one_op.tflite", flex_models.inputs("one_op"))
    with pytest.raises(InterpreterError, match="FlexErf"):
        interpreters.run_all(package, [one_op], tmp_path, _arm64)
