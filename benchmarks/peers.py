"""TensorFlow and TensorFlow Lite in processes of their own, which run a model when asked to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed_table import Library
from demo.cached_models import CachedModel
from demo.nested import NestedError
from tfcarve.benchmark import measured
from tfcarve.benchmark.measured import Measured


@dataclass(frozen=True)
class Kind:
    """A peer: what benchmarks.peer calls it, and the environment that it runs in."""

    kind: str
    environment: Mapping[str, str]


KINDS: Mapping[Library, Kind] = {
    Library.ONEDNN: Kind("tensorflow", {"TF_ENABLE_ONEDNN_OPTS": "1"}),
    Library.TENSORFLOW: Kind("tensorflow", {"TF_ENABLE_ONEDNN_OPTS": "0"}),
    Library.LITE: Kind("lite", {}),
}


class Peer:
    """A peer that holds a model.

    Attributes:
      memory: bytes of anonymous memory before it loaded the model.
      difference: largest difference of its output from full TensorFlow's.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        ready = json.loads(self._line())
        self.memory: int = ready["anonymous_bytes_start"]
        self.difference: float = ready["difference"]

    def measured(self, runs: int) -> Measured:
        """Runs the model once, and `runs` times that count."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"warmup": 1, "runs": runs}) + "\n")
        self._process.stdin.flush()
        return measured.parse(self._line().encode(), "the peer's answer")

    def _line(self) -> str:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            status = self._process.wait()
            raise NestedError(f"{self._process.args!r} ended with status {status}")
        return line


@contextmanager
def started(library: Library, file: Path, model: CachedModel, threads: int) -> Iterator[Peer]:
    """Starts a peer with a model; `file` is the model in the peer's own form. It ends with the context.

    Raises NestedError where it can't load or run the model; what it says goes to standard error.
    """
    kind = KINDS[library]
    command = [
        sys.executable,
        *("-m", "benchmarks.peer", kind.kind),
        *(str(file), str(model.input), str(model.output)),
        f"--threads={threads}",
    ]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", **kind.environment}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        # Closing its standard input, as leaving this context does, ends it.
        yield Peer(process)
