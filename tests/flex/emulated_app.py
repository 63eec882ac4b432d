"""Carved Flex delegates for Arm in interpreters from packages, under qemu, with the outputs of full TensorFlow Lite.

Debian's Python for Arm runs the wheels of the interpreters. All runs in one of them share a process, because under qemu
starting one takes longer than the models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from built import published
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
      models: the models' files.
      delegate: the library.
      expected: the outputs of each model in full TensorFlow Lite.
    """

    platform: str
    cpu: str
    models: Sequence[Path]
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
        (one_op,) = (run for run in _runs(self.models, "-") if run.model.stem == "one_op")
        with pytest.raises(InterpreterError, match="FlexErf"):
            interpreters.run_all(package, [one_op], folder, self.command)


def _runs(models: Sequence[Path], delegate: str) -> list[Run]:
    return [Run(delegate, model, flex_models.inputs(model.stem)) for model in models]


def opened(
    platform: str, cpu: str, group: str, release: str, names: Sequence[str], folder: Path
) -> App:
    """Returns the delegate for a platform.

    Args:
      platform: its name.
      cpu: of `emulated.emulator`.
      group: of tests/built/groups.py.
      release: a target with the delegate for the platform.
      names: of the models.
      folder: for temporary files.
    """
    found = published.of(group)
    delegate = found.named(release, platform)[flex_app.LIBRARY]
    models = [found.models / f"{name}.tflite" for name in names]
    expected = interpreters.run_all(FULL, _runs(models, "-"), folder)
    return App(platform, cpu, models, delegate, expected)
