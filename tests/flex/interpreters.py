"""Runs models in the interpreters that packages have, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

Arrays = Mapping[str, Any]

# The reference: it contains the Flex delegate with all of TensorFlow's ops.
FULL = "tensorflow"
# Interpreters without TensorFlow ops.
PLAIN = ("tflite_runtime", "ai_edge_litert")
_PROGRAM = Path(__file__).with_name("flex_run.py")


class InterpreterError(Exception):
    """An interpreter refused a model or failed to run it; the text is what it wrote to standard error."""


def python(program: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a Python program in `folder` with the Python of this test."""
    return subprocess.run(
        [sys.executable, program, *words],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
    )


def run(package: str, delegate: str, model: Path, inputs: Arrays, folder: Path) -> dict[str, Any]:
    """Runs a model and returns its outputs by name.

    Args:
      package: the interpreter's package: FULL or one of PLAIN.
      delegate, inputs: as for flex_run.
      model: the .tflite file.
      folder: for temporary files, and the working directory.

    Raises:
      InterpreterError: the interpreter failed.
    """
    given, found = folder / "inputs.npz", folder / "outputs.npz"
    np.savez(given, **inputs)
    found.unlink(missing_ok=True)
    words = [package, delegate, model, given, found]
    done = python(_PROGRAM, folder, *map(str, words))
    if done.returncode < 0:
        raise AssertionError(f"killed by signal {-done.returncode}: {done.stderr}")
    if done.returncode:
        raise InterpreterError(done.stderr)
    with np.load(found) as arrays:
        return {key: arrays[key] for key in arrays.files}
