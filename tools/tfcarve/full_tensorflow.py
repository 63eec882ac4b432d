"""Programs that need full TensorFlow: each in a process of its own, with bounded memory and time."""

import importlib.util
import os
import resource
import runpy
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_LONGEST_MESSAGE = 400
_SOURCES = Path(__file__).parents[1]
# What TensorFlow takes for itself, on many processors too, and how many times its weights a model takes.
_SPARE, _TIMES = 8 << 30, 8
# Processor time: of the program itself, and how many bytes of a model each further second is for.
_SECONDS, _BYTES_A_SECOND = 1200, 1 << 20


class Failed(Exception):
    """The program failed; the text is the signal that ended it or the last line that it said, "" where it said nothing."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use: bytes of memory (RLIMIT_DATA) and seconds of processor time (RLIMIT_CPU)."""

    memory: int
    seconds: int

    @classmethod
    def of_model(cls, size: int) -> "Limits":
        """Returns limits in proportion to `size`, the bytes of a model's files."""
        return cls(_SPARE + _TIMES * size, _SECONDS + size // _BYTES_A_SECOND)


def installed() -> bool:
    """Says whether the Python that runs tfcarve has tensorflow."""
    return importlib.util.find_spec("tensorflow") is not None


def not_installed() -> str:
    """Returns the message for a Python without tensorflow, with the command that installs it."""
    return f"tensorflow is not installed in {sys.executable}: pip install 'tfcarve[tensorflow]'"


def run(module: str, arguments: Sequence[str | Path], folder: str | Path, limits: Limits) -> None:
    """Runs a module of tfcarve as a program by the Python that runs tfcarve.

    Args:
      module: its name, like tfcarve.proof.golden_run.
      arguments: its own.
      folder: where it runs.
      limits: what it may use.

    Raises:
      Failed: it ended with another status than 0.
    """
    path = os.pathsep.join(filter(None, [str(_SOURCES), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        # -P: what is in the folder may have a library's name.
        [
            *(sys.executable, "-P", "-m", __name__, str(limits.memory), str(limits.seconds)),
            *(module, *arguments),
        ],
        env={
            **os.environ,
            "PYTHONPATH": path,
            "PYTHONHASHSEED": "0",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "-1",
        },
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=folder,
    )
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        said = lines[-1][:_LONGEST_MESSAGE] if lines else ""
        raise Failed(_by_signal(-done.returncode, limits) or said)


def _by_signal(number: int, limits: Limits) -> str:
    """Returns how a program was ended, "" where it ended by itself."""
    if number <= 0:
        return ""
    if number == signal.SIGXCPU:
        return f"it took more than {limits.seconds} seconds of processor time"
    return f"it was ended by {signal.Signals(number).name}"


def limit(kind: int, most: int) -> None:
    """Bounds what this process may use of the resource `kind` (RLIMIT_DATA, …); a lower bound that there is stays."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (min(most, hard) if hard >= 0 else most, hard))


def main(memory: str, seconds: str, module: str, *arguments: str) -> None:
    """Runs the module `module` in this process, within the limits."""
    limit(resource.RLIMIT_DATA, int(memory))
    limit(resource.RLIMIT_CPU, int(seconds))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
