"""Runs benchmark_model, or what does the same, and reads what it measured."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tfcarve import files
from tfcarve.benchmark import measured
from tfcarve.benchmark.measured import Measured
from tfcarve.benchmark.task import Task, arguments
from tfcarve.errors import CheckFailed, InvalidInput
from tfcarve.printable import printable_lines

# How messages of the program begin.
_OWN = "benchmark_model: "


def run(command: Sequence[str], task: Task, trace: Path | None = None) -> Measured:
    """Does a task.

    Args:
      command: the program, with what it is started by.
      task: what it is told.
      trace: where the last traced run goes, in Chrome's format.

    Raises:
      CheckFailed: the library can't run the model.
      InvalidInput: the task or a file is wrong, or the program ended in another way.
    """
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        document = Path(folder, "benchmark.json")
        options = [f"--json={document}"]
        if trace is not None:
            options.append(f"--trace={trace.absolute()}")
        try:
            done = subprocess.run(
                [*command, *arguments(task), *options],
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise InvalidInput(f"{command[0]}: cannot be started: {error.strerror}") from None
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode == 1:
            raise CheckFailed(said.removeprefix(_OWN) or f"{command[-1]}: failed", ())
        if done.returncode:
            how = f"ended with status {done.returncode}"
            raise InvalidInput(said.removeprefix(_OWN) or f"{command[-1]}: {how}")
        if said:
            print(printable_lines(said), file=sys.stderr)
        return measured.parse(files.read_bytes(document), f"what {command[-1]} wrote")
