"""Runs a program that reads a request and writes a RunResult, in a child process."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from tfcarve import full_tensorflow
from tfcarve.full_tensorflow import Limits
from tfcarve.prepare.evaluate.framing import receive, send
from tfcarve.prepare.original.messages import RESULT, FunctionRequest, RunRequest

# Files of the programs.
REQUEST_FILE, RESULT_FILE = "request", "result"


def exchange(
    program: str, request: RunRequest | FunctionRequest, parts: Sequence[bytes], limits: Limits
) -> tuple[str, list[bytes]]:
    """Returns RunResult.error and the parts of the result of a program.

    Args:
      program: its module. It takes a folder with REQUEST_FILE as argument, and writes RESULT_FILE.
      request: its request.
      parts: the parts of the request.
      limits: of the process.
    """
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as name:
        folder = Path(name)
        with (folder / REQUEST_FILE).open("wb") as stream:
            send(stream, request, parts)
        try:
            full_tensorflow.run(program, [folder], folder, limits)
        except full_tensorflow.Failed as failed:
            return str(failed) or "no message", []
        with (folder / RESULT_FILE).open("rb") as stream:
            result, values = receive(stream, RESULT)
    return result.error, values
