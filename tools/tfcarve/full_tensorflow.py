"""Programs that need full TensorFlow: each in a process of its own, since tfcarve does without."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_LONGEST_MESSAGE = 400


class Failed(Exception):
    """The program failed; the text is the last line that it said, "" where it said nothing."""


def run(program: Path, arguments: Sequence[str | Path], folder: str) -> None:
    """Runs a Python program by the Python that runs tfcarve.

    Args:
      program: its source; modules beside it are not importable.
      arguments: its own.
      folder: where it runs.

    Raises:
      Failed: it ended with another status than 0.
    """
    done = subprocess.run(
        # -P: what stands beside the program may have a library's name.
        [sys.executable, "-P", program, *arguments],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise Failed(lines[-1][:_LONGEST_MESSAGE] if lines else "")
