"""Runs programs that need full TensorFlow, each in its own process with limited memory and time."""

import importlib.util
import os
import resource
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

_MAX_MESSAGE = 400
_SOURCES = Path(__file__).parents[1]
# Memory of TensorFlow itself, even on many processors, and memory of a model as a multiple of its size.
_BASE_MEMORY, _MODEL_FACTOR = 8 << 30, 8
# Processor time of the program itself, and the bytes of a model for which a second is added.
_BASE_SECONDS, _BYTES_PER_SECOND = 1200, 1 << 20

# Environment variables of every process that loads TensorFlow. Without oneDNN, which TensorFlow enables by itself only on
# newer CPUs, _FusedConv2D has no groups: a model with fused depthwise convolutions would not run.
SETTINGS = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "KERAS_BACKEND": "tensorflow",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "1",
}


class Failed(Exception):
    """The program failed. The text names the signal that ended it, or is its last line on standard error, or is empty.

    Attributes:
      status: its exit status; negative: the signal that ended it.
    """

    def __init__(self, status: int, text: str) -> None:
        self.status = status
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a program: bytes of memory (RLIMIT_DATA) and seconds of processor time (RLIMIT_CPU)."""

    memory: int
    seconds: int

    @classmethod
    def of_model(cls, size: int) -> "Limits":
        """Returns the limits for a model whose files have `size` bytes."""
        return cls(_BASE_MEMORY + _MODEL_FACTOR * size, _BASE_SECONDS + size // _BYTES_PER_SECOND)


def installed() -> bool:
    """Returns whether tensorflow is installed in the Python that runs tfcarve."""
    return importlib.util.find_spec("tensorflow") is not None


def not_installed() -> str:
    """Returns the message that tensorflow is not installed, with the command that installs it."""
    return f"tensorflow is not installed in {sys.executable}: pip install 'tfcarve[tensorflow]'"


def start(
    module: str,
    arguments: Sequence[str | Path],
    folder: str | Path,
    limits: Limits,
    settings: Mapping[str, str],
) -> "subprocess.CompletedProcess[str]":
    """Returns the exit status of a program and its outputs; see `run`."""
    path = os.pathsep.join(filter(None, [str(_SOURCES), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        # -P: files in the folder must not be imported instead of libraries.
        [
            *(sys.executable, "-P", "-m", __name__, str(limits.memory), str(limits.seconds)),
            *(module, *arguments),
        ],
        env={
            **os.environ,
            **SETTINGS,
            **settings,
            "PYTHONPATH": path,
            "PYTHONHASHSEED": "0",
        },
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=folder,
    )


def run(
    module: str,
    arguments: Sequence[str | Path],
    folder: str | Path,
    limits: Limits,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Runs a module of tfcarve as a program, in the Python that runs tfcarve; returns its standard output.

    Args:
      module: the module's name, e.g. tfcarve.proof.golden_run.
      arguments: the program's arguments.
      folder: its working directory.
      limits: its limits.
      settings: the environment variables; they replace SETTINGS.

    Raises:
      Failed: the exit status is not 0.
    """
    done = start(module, arguments, folder, limits, settings)
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        message = lines[-1][:_MAX_MESSAGE] if lines else ""
        raise Failed(done.returncode, _by_signal(-done.returncode, limits) or message)
    return done.stdout


def report(message: str) -> None:
    """Prints the error of a program that `run` runs: in one line, because `run` shows only the last line."""
    print(" ".join(message.split()), file=sys.stderr)


def _by_signal(number: int, limits: Limits) -> str:
    """Returns a text about the signal that ended a program; "" if no signal did."""
    if number <= 0:
        return ""
    if number == signal.SIGXCPU:
        return f"it took more than {limits.seconds} seconds of processor time"
    return f"it was killed by {signal.Signals(number).name}"


def limit(kind: int, maximum: int) -> None:
    """Limits this process's use of the resource `kind` (RLIMIT_DATA, …); a lower limit stays in effect."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (min(maximum, hard) if hard >= 0 else maximum, hard))


def main(memory: str, seconds: str, module: str, *arguments: str) -> None:
    """Runs a module in this process, within the limits."""
    limit(resource.RLIMIT_DATA, int(memory))
    limit(resource.RLIMIT_CPU, int(seconds))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
