"""Carved Flex delegates for Arm in interpreters from packages, under qemu, with the outputs of full TensorFlow Lite.

Debian's Python for Arm runs the wheels of the interpreters. All runs in one of them share a process, because under qemu
starting one takes longer than the models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from demo import arm_python
from flex import flex_app, flex_models, interpreters
from flex.interpreters import FULL, InterpreterError, Run
from tfcarve.benchmark import emulated

_NO_TOLERANCES: Mapping[str, float] = {}


@dataclass(frozen=True)
class App:
    """The models, and the delegate for a platform.

    Attributes:
      platform: its name.
      cpu: of `emulated.emulator`.
      models: the folder of the models.
      delegate: the library.
      expected: the outputs of each model in full TensorFlow Lite.
    """

    platform: str
    cpu: str
    models: Path
    delegate: Path
    expected: Sequence[dict[str, Any]]

    def command(self, arguments: Sequence[str | Path]) -> list[str]:
        """Returns the command that runs Python for the platform."""
        qemu = arm_python.without_root(emulated.emulator(self.cpu))
        return arm_python.unpacked(self.platform).command(qemu, arguments)

    def require_equal_outputs(
        self, package: str, folder: Path, tolerances: Mapping[str, float] = _NO_TOLERANCES
    ) -> None:
        """Runs each model with the delegate loaded in both ways.

        Args:
          package: the interpreter's package.
          folder: for temporary files.
          tolerances: of models whose outputs differ by more than interpreters.TOLERANCE.
        """
        ways = (f"{self.delegate}", f"symbol:{self.delegate}")
        runs = [run for way in ways for run in _runs(self.models, way)]
        found = interpreters.run_all(package, runs, folder, self.command)
        for run, outputs, right in zip(runs, found, [*self.expected] * len(ways), strict=True):
            assert set(outputs) == set(right)
            tolerance = tolerances.get(run.model.stem, interpreters.TOLERANCE)
            for key, array in right.items():
                where = (run.delegate, run.model.name, key)
                assert interpreters.equal(outputs[key], array, tolerance), where

    def require_delegate_is_needed(self, package: str, folder: Path) -> None:
        """The control: without the delegate these interpreters have no TensorFlow ops."""
        one_op = Run("-", self.models / "one_op.tflite", flex_models.inputs("one_op"))
        with pytest.raises(InterpreterError, match="FlexErf"):
            interpreters.run_all(package, [one_op], folder, self.command)


def _runs(models: Path, delegate: str) -> list[Run]:
    return [
        Run(delegate, models / f"{name}.tflite", flex_models.inputs(name))
        for name in flex_models.MAKERS
    ]


@contextmanager
def opened(platform: str, cpu: str, release: str, folder: Path) -> Iterator[App]:
    """Builds the delegate for a platform.

    Args:
      platform: its name.
      cpu: of `emulated.emulator`.
      release: a target with the delegate for the platform.
      folder: for the models.
    """
    with flex_app.opened(folder) as workspace:
        delegate = flex_app.library(flex_app.files_for(workspace, platform, release))
        scratch = folder / "full"
        scratch.mkdir()
        expected = interpreters.run_all(FULL, _runs(folder, "-"), scratch)
        yield App(platform, cpu, folder, delegate, expected)
