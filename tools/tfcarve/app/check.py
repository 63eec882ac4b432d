"""Runs a model in a built library, and compares its outputs with full TensorFlow's."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.app.emulators import EMULATORS
from tfcarve.benchmark import program
from tfcarve.benchmark.task import Task
from tfcarve.errors import CheckFailed, Problem
from tfcarve.proof import difference, golden_index, npy_arrays

_RUNS = 20


@dataclass(frozen=True)
class Shipped:
    """A model as an app ships it.

    Attributes:
      name: for the report.
      graph: a frozen GraphDef.
      sample: the folder with a sample and full TensorFlow's outputs for it; None if no library runs the model here.
    """

    name: str
    graph: Path
    sample: Path | None


@dataclass(frozen=True)
class Programs:
    """The programs of a library that run and measure a model in it."""

    platform: str
    run_model: Path
    benchmark_model: Path


@dataclass(frozen=True)
class Checked:
    """The result of a model in a library.

    Attributes:
      difference: the largest difference from TensorFlow's outputs, divided by 1 + |expected|; 0 if all outputs are equal.
      milliseconds: the median CPU time of a run on one thread; None if an emulator ran it.
    """

    difference: float
    milliseconds: float | None


def check(model: Shipped, programs: Programs, tolerance: float = 0.0) -> Checked:
    """Runs a model once, and on this machine's own CPU several times.

    Args:
      model: the model; it has a sample.
      programs: of the library; the emulator of its platform is installed.
      tolerance: the accepted difference of floating-point numbers, if it is larger than that of their type.

    Raises:
      CheckFailed: the library does not run the model, or an output differs by more than the tolerance.
    """
    assert model.sample is not None
    emulator = EMULATORS[programs.platform]
    sample = golden_index.read(model.sample)
    inputs = [(entry.tensor, model.sample / entry.file) for entry in sample.inputs]
    largest = 0.0
    problems = []
    accepted = {name: max(least, tolerance) for name, least in difference.TOLERANCES.items()}
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        words = [f"--input={name}={file}" for name, file in inputs]
        words += [f"--output={e.tensor}={Path(folder, e.file)}" for e in sample.outputs]
        _run([*emulator, str(programs.run_model), str(model.graph), *words], model, programs)
        for entry in sample.outputs:
            actual = npy_arrays.read(Path(folder, entry.file))
            expected = npy_arrays.read(model.sample / entry.file)
            text = difference.difference(actual, expected, accepted)
            if text:
                problems.append(Problem(f"output {entry.tensor!r} {text}"))
            elif difference.number_type(expected.dtype) in difference.TOLERANCES:
                largest = max(largest, difference.largest_difference(actual, expected))
    if problems:
        raise CheckFailed(
            f"{model.name} on {programs.platform}: differs from full TensorFlow (--tolerance accepts a larger difference):",
            problems,
        )
    if emulator:
        return Checked(largest, None)
    outputs = tuple(entry.tensor for entry in sample.outputs)
    task = Task(model.graph, tuple(inputs), (), outputs, 1, 1, _RUNS, None, 0)
    return Checked(largest, program.run([str(programs.benchmark_model)], task).cpu_ms.median)


def _run(command: Sequence[str], model: Shipped, programs: Programs) -> None:
    done = subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        message = done.stderr.decode(errors="replace").strip()
        raise CheckFailed(
            f"{model.name} on {programs.platform}: the library does not run it: {message}", ()
        )
