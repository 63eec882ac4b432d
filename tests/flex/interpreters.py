"""Runs models in the interpreters that packages have, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Arrays = Mapping[str, Any]
# Returns the command that runs Python with arguments.
Command = Callable[[Sequence[str | Path]], list[str]]

# The reference: it contains the Flex delegate with all of TensorFlow's ops.
FULL = "tensorflow"
# Interpreters without TensorFlow ops.
PLAIN = ("tflite_runtime", "ai_edge_litert")
_PROGRAM = Path(__file__).with_name("flex_run.py")
TOLERANCE = 1e-6


class InterpreterError(Exception):
    """An interpreter refused a model or failed to run it; the text is what it wrote to standard error."""


@dataclass(frozen=True)
class Run:
    """A run of a model.

    Attributes:
      delegate, inputs: as for flex_run.
      model: the .tflite file.
    """

    delegate: str
    model: Path
    inputs: Arrays


def own_python(arguments: Sequence[str | Path]) -> list[str]:
    """Returns the command of the Python of this test."""
    return [sys.executable, *map(str, arguments)]


def python(
    arguments: Sequence[str | Path], folder: Path, command: Command = own_python
) -> subprocess.CompletedProcess[str]:
    """Runs a Python program in `folder`."""
    return subprocess.run(
        command(arguments),
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
    )


def run_all(
    package: str, runs: Sequence[Run], folder: Path, command: Command = own_python
) -> list[dict[str, Any]]:
    """Runs models one after the other in one process and returns the outputs of each by name.

    Args:
      package: the interpreter's package: FULL or one of PLAIN, and ":THREADS" for more than one thread.
      runs: those with a symbol are the last, because other interpreters would find it, too.
      folder: for temporary files, and the working directory.
      command: runs the package's Python.

    Raises:
      InterpreterError: the interpreter failed.
    """
    words: list[str | Path] = [_PROGRAM, package]
    for number, run in enumerate(runs):
        inputs, found = folder / f"{number}.inputs.npz", folder / f"{number}.outputs.npz"
        save(inputs, run.inputs)
        found.unlink(missing_ok=True)
        words += [run.delegate, run.model, inputs, found]
    done = python(words, folder, command)
    if done.returncode < 0:
        raise AssertionError(f"killed by signal {-done.returncode}: {done.stderr}")
    if done.returncode:
        raise InterpreterError(done.stderr)
    return [load(folder / f"{number}.outputs.npz") for number in range(len(runs))]


def run(
    package: str,
    delegate: str,
    model: Path,
    inputs: Arrays,
    folder: Path,
    command: Command = own_python,
) -> dict[str, Any]:
    """Runs a model once, in this test's Python by default, as run_all does."""
    (outputs,) = run_all(package, [Run(delegate, model, inputs)], folder, command)
    return outputs


def save(path: Path, arrays: Arrays) -> None:
    """Writes arrays to an .npz file."""
    np.savez(path, **arrays)


def load(path: Path) -> dict[str, Any]:
    """Reads the arrays of an .npz file."""
    with np.load(path) as arrays:
        return {key: arrays[key] for key in arrays.files}


def equal(found: Any, expected: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether two arrays have the same shape and type and, within a tolerance for floats, the same values."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    if found.dtype.kind != "f":
        return bool(np.all(found == expected))
    return float(np.max(np.abs(found - expected), initial=0)) <= tolerance
