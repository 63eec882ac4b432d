"""Runs modules as programs, each in a fork of this process: importing Keras takes seconds.

    python -m keras3.fork_server

reads a JSON array from each line: a folder, a module and its arguments. For each it prints a JSON
array: the exit status, the standard output and the standard error. Each program still has a process
of its own, as has each one that tfcarve starts.
"""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tfcarve import full_tensorflow
from tfcarve.full_tensorflow import Limits

_PROCESSES = multiprocessing.get_context("fork")
_REAL = full_tensorflow.start
_PRELOADED = ("keras", "tfcarve.prepare.freeze.frozen", "tfcarve.prepare.freeze.load")


def _program(module: str, *words: str) -> None:
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _child(
    call: Callable[..., None], words: Sequence[str], folder: str | Path, output: int, error: int
) -> None:
    """Runs a program in the forked process."""
    os.dup2(output, 1)
    os.dup2(error, 2)
    os.chdir(folder)
    call(*words)


def _done(
    call: Callable[..., None], words: Sequence[str], folder: str | Path
) -> subprocess.CompletedProcess[str]:
    with (
        tempfile.TemporaryFile("r+", errors="replace") as output,
        tempfile.TemporaryFile("r+", errors="replace") as error,
    ):
        files = output.fileno(), error.fileno()
        process = _PROCESSES.Process(target=_child, args=(call, words, folder, *files))
        process.start()
        process.join()
        for file in (output, error):
            file.seek(0)
        status = process.exitcode or 0
        return subprocess.CompletedProcess(words, status, output.read(), error.read())


def _start(
    module: str,
    arguments: Sequence[str | Path],
    folder: str | Path,
    limits: Limits,
    settings: Mapping[str, str],
) -> subprocess.CompletedProcess[str]:
    """As full_tensorflow.start."""
    if settings:
        # They are for the import of TensorFlow.
        return _REAL(module, arguments, folder, limits, settings)
    words = [str(limits.memory), str(limits.seconds), module, *map(str, arguments)]
    return _done(full_tensorflow.main, words, folder)


def main() -> None:
    """Runs the programs, one after the other."""
    os.environ.update(full_tensorflow.SETTINGS)
    for name in _PRELOADED:
        importlib.import_module(name)
    full_tensorflow.start = _start
    for line in sys.stdin:
        folder, *words = json.loads(line)
        done = _done(_program, words, folder)
        print(json.dumps([done.returncode, done.stdout, done.stderr]), flush=True)


if __name__ == "__main__":
    main()
