"""The time of one inference in a carved library and in full TensorFlow."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from demo import library
from demo.cached_models import CachedModel
from demo.library import Library
from demo.nested import NestedError

_WARMUP = 1
_RUNS = 5
_ROUNDS = 2


@dataclass(frozen=True)
class Speed:
    """The processor time of one inference on one thread in milliseconds: the minimum of all runs."""

    carved: float
    full: float

    def text(self) -> str:
        """Both times and their ratio in one line."""
        ratio = self.carved / self.full
        return f"{self.carved:.0f} ms, full TensorFlow {self.full:.0f} ms ({ratio:.2f} times)"


def _run(command: list[str]) -> str:
    done = subprocess.run(command, check=False, text=True, capture_output=True)
    if done.returncode:
        raise NestedError(f"{command[0]} failed: {done.stderr.strip()}")
    return done.stdout


def _least(report: str) -> float:
    return float(json.loads(report)["cpu_ms"]["min"])


def _carved(built: Library, model: CachedModel) -> float:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [str(built.benchmark), str(model.model), "--threads=1", f"--json={report}"]
        command += [f"--warmup={_WARMUP}", f"--runs={_RUNS}", "--traced-runs=0"]
        _run([*command, f"--input={library.INPUT}={model.input}", f"--output={library.OUTPUT}"])
        return _least(report.read_text(encoding="utf-8"))


def _full(model: CachedModel) -> float:
    command = [sys.executable, "-m", "demo.full_run", str(model.model), str(model.input)]
    return _least(_run([*command, str(_WARMUP), str(_RUNS)]))


def measured(built: Library, model: CachedModel) -> Speed:
    """Runs the model in both, alternately, each run in its own process.

    Raises:
        NestedError: a run failed.
    """
    rounds = [(_carved(built, model), _full(model)) for _ in range(_ROUNDS)]
    return Speed(min(carved for carved, _ in rounds), min(full for _, full in rounds))
