"""Runs benchmark_model, or library_run in its place, and reads its report."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tfcarve import files
from tfcarve.benchmark import measurement
from tfcarve.benchmark.measurement import Measurement
from tfcarve.benchmark.task import Task, arguments
from tfcarve.errors import CheckFailed, InvalidInput
from tfcarve.printable import printable_lines

_MESSAGE_PREFIX = "benchmark_model: "


def run(command: Sequence[str], task: Task, trace: Path | None = None) -> Measurement:
    """Runs a benchmark.

    Args:
      command: the program, after the command that starts it (an emulator, Python).
      task: the benchmark.
      trace: the file for the last traced run, in Chrome's trace format.

    Raises:
      CheckFailed: the library cannot run the model.
      InvalidInput: the task or a file is invalid, or the program failed in another way.
    """
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        document, traced = Path(folder, "benchmark.json"), Path(folder, "trace.json")
        options = [f"--json={document}"]
        if trace is not None:
            options.append(f"--trace={traced}")
        try:
            result = subprocess.run(
                [*command, *arguments(task), *options],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise InvalidInput(f"{command[0]}: cannot be started: {error.strerror}") from None
        message = result.stderr.decode(errors="replace").strip().removeprefix(_MESSAGE_PREFIX)
        if result.returncode == 1:
            raise CheckFailed(message or f"{command[-1]}: failed", ())
        if result.returncode:
            raise InvalidInput(
                message or f"{command[-1]}: ended with exit status {result.returncode}"
            )
        if message:
            print(printable_lines(message), file=sys.stderr)
        if trace is not None:
            files.copy(traced, trace)
        return measurement.parse(files.read_bytes(document), f"the report of {command[-1]}")
