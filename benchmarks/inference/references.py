"""TensorFlow and TensorFlow Lite, each in a process that runs a model on request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.inference.speed_table import Library
from demo.cached_models import CachedModel
from demo.nested import NestedError
from tfcarve.benchmark import measurement
from tfcarve.benchmark.measurement import Measurement


@dataclass(frozen=True)
class Kind:
    """A kind of reference: its name in reference_runner, and environment variables."""

    name: str
    environment: Mapping[str, str]


KINDS: Mapping[Library, Kind] = {
    Library.ONEDNN: Kind("tensorflow", {"TF_ENABLE_ONEDNN_OPTS": "1"}),
    Library.TENSORFLOW: Kind("tensorflow", {"TF_ENABLE_ONEDNN_OPTS": "0"}),
    Library.LITE: Kind("lite", {}),
}


class Reference:
    """A process of a reference that has loaded a model.

    Attributes:
      memory: bytes of anonymous memory before it loaded the model.
      difference: largest difference of its output from the expected one.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        ready = json.loads(self._line())
        self.memory: int = ready["anonymous_bytes_start"]
        self.difference: float = ready["difference"]

    def measure(self, runs: int) -> Measurement:
        """Runs the model once to warm up, then `runs` times."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"warmup": 1, "runs": runs}) + "\n")
        self._process.stdin.flush()
        return measurement.parse(self._line().encode(), "the reference's report")

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            status = self._process.wait()
            raise NestedError(f"{self._process.args!r} ended with status {status}")
        return line


@contextmanager
def started(library: Library, file: Path, model: CachedModel, threads: int) -> Iterator[Reference]:
    """Starts a reference with a model; `file` is the model in the reference's format. It ends with the context.

    Raises NestedError if it cannot load or run the model; its messages go to standard error.
    """
    kind = KINDS[library]
    command = [
        sys.executable,
        *("-m", "benchmarks.inference.reference_runner", kind.name),
        *(str(file), str(model.input), str(model.output)),
        f"--threads={threads}",
    ]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", **kind.environment}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        # Leaving the context of Popen closes standard input, which ends the process.
        yield Reference(process)
