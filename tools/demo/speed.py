"""How long one inference takes: in a carved library, and in full TensorFlow beside it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from demo import library
from demo.library import Library
from demo.made_models import MadeModel
from demo.nested import NestedError

_WARMUP = 1
_RUNS = 5
_ROUNDS = 2


@dataclass(frozen=True)
class Speed:
    """Milliseconds of processor time of one inference on one thread, the least of all runs."""

    carved: float
    full: float

    def text(self) -> str:
        """Both and their ratio, in a line."""
        ratio = self.carved / self.full
        return f"{self.carved:.0f} ms, full TensorFlow {self.full:.0f} ms ({ratio:.2f} times)"


def _run(command: list[str]) -> str:
    done = subprocess.run(command, check=False, text=True, capture_output=True)
    if done.returncode:
        raise NestedError(f"{command[0]} failed: {done.stderr.strip()}")
    return done.stdout


def _least(report: str) -> float:
    return float(json.loads(report)["cpu_ms"]["min"])


def _carved(built: Library, model: MadeModel) -> float:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        words = [str(built.benchmark), str(model.model), "--threads=1", f"--json={report}"]
        words += [f"--warmup={_WARMUP}", f"--runs={_RUNS}", "--traced-runs=0"]
        _run([*words, f"--input={library.INPUT}={model.input}", f"--output={library.OUTPUT}"])
        return _least(report.read_text(encoding="utf-8"))


def _full(model: MadeModel) -> float:
    words = [sys.executable, "-m", "demo.full_run", str(model.model), str(model.input)]
    return _least(_run([*words, str(_WARMUP), str(_RUNS)]))


def measured(built: Library, model: MadeModel) -> Speed:
    """Runs the model in both, in turns; each in a process of its own.

    Raises:
        NestedError: one of them fails.
    """
    rounds = [(_carved(built, model), _full(model)) for _ in range(_ROUNDS)]
    return Speed(min(ours for ours, _ in rounds), min(theirs for _, theirs in rounds))
