"""Programs with full TensorFlow in processes that are forked after TensorFlow was imported, which takes seconds.

A test module that runs many commands asks for the fixture `forked`. Each program still has a process of its own, with
its limits, its folder and its output.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from pathlib import Path

import pytest

from tfcarve import full_tensorflow
from tfcarve.full_tensorflow import Limits

_PROCESSES = multiprocessing.get_context("forkserver")
_REAL = full_tensorflow.start


def _child(
    module: str, words: Sequence[str], folder: Path, environment: Mapping[str, str], log: str
) -> None:
    """Runs a program in the process that the server forked."""
    error = os.open(log, os.O_WRONLY)
    os.dup2(error, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    full_tensorflow.main(*words[:2], module, *words[2:])


def start(
    module: str,
    arguments: Sequence[str | Path],
    folder: str | Path,
    limits: Limits,
    settings: Mapping[str, str],
) -> subprocess.CompletedProcess[str]:
    """As full_tensorflow.start."""
    if settings or not module.startswith("tfcarve."):
        # Such a setting is for the import of TensorFlow, and the server's module path is that of the test's start.
        return _REAL(module, arguments, folder, limits, settings)
    with tempfile.NamedTemporaryFile("r", errors="replace") as log:
        words = [str(limits.memory), str(limits.seconds), *map(str, arguments)]
        environment = {**os.environ, **full_tensorflow.SETTINGS}
        process = _PROCESSES.Process(
            target=_child, args=(module, words, Path(folder).absolute(), environment, log.name)
        )
        process.start()
        process.join()
        return subprocess.CompletedProcess([module], process.exitcode or 0, "", log.read())


@pytest.fixture(scope="session")
def server() -> None:
    """Starts the process that forks the others, with the environment of a program."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**full_tensorflow.SETTINGS, "PYTHONHASHSEED": "0"}.items():
            patch.setenv(name, value)
        _PROCESSES.set_forkserver_preload(["keras.api._v2.keras", "tfcarve.prepare.freeze.load"])
        forkserver.ensure_running()


@pytest.fixture
def forked(server: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forks the programs that the test starts."""
    monkeypatch.setattr(full_tensorflow, "start", start)
