"""Saves models with Keras 3 and TensorFlow, and freezes them, by programs in an environment with Keras 3."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from keras3.tolerances import Array


@dataclass(frozen=True)
class Programs:
    """Commands of an environment with Keras 3.

    Attributes:
      save: runs keras3.save.
      tfcarve: runs tfcarve.
    """

    save: tuple[str, ...]
    tfcarve: tuple[str, ...]

    @classmethod
    def of_test(cls) -> Programs:
        """Returns the programs that a test has as data."""
        runfiles = os.environ["RUNFILES_DIR"]
        save, tfcarve = (os.path.join(runfiles, os.environ[name]) for name in ("SAVE", "TFCARVE"))
        return cls((save,), (tfcarve,))

    def done(self, command: Sequence[str], *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a command; returns its exit status and outputs."""
        line = [*command, *map(str, words)]
        return subprocess.run(line, check=False, capture_output=True, text=True)

    def run(self, command: Sequence[str], *words: str | Path) -> str:
        """Runs a command; returns its output. Raises RuntimeError, with what it wrote, if it fails."""
        done = self.done(command, *words)
        if done.returncode:
            raise RuntimeError(f"{' '.join(done.args)}: {done.stderr[-2000:]}")
        return done.stdout


@dataclass(frozen=True)
class Sample:
    """A model, its frozen graph, values of its inputs, and Keras' outputs for them."""

    name: str
    file: Path
    graph: Path
    inputs: Mapping[str, Array]
    expected: Mapping[str, Array]


def _side(arrays: Mapping[str, Array], kind: str) -> dict[str, Array]:
    return {
        name.removeprefix(kind): array.astype(object) if array.dtype.kind == "U" else array
        for name, array in arrays.items()
        if name.startswith(kind)
    }


def samples(programs: Programs, folder: Path, names: Sequence[str]) -> Iterator[Sample]:
    """Yields the models with these names, saved and frozen in `folder`."""
    programs.run(programs.save, folder, *names)
    for name in names:
        saved_model, graph = folder / name, folder / f"{name}.pb"
        file = saved_model if saved_model.is_dir() else folder / f"{name}.keras"
        programs.run(programs.tfcarve, "freeze", file, "-o", graph)
        with np.load(folder / f"{name}.npz") as arrays:
            loaded = dict(arrays)
        yield Sample(name, file, graph, _side(loaded, "input:"), _side(loaded, "output:"))
