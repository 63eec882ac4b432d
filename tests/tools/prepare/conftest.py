"""Shared fixtures: child processes that run TensorFlow."""

from collections.abc import Iterator
from typing import Any

import pytest

from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.evaluate.requests import UnloadRequest

_BEGIN, _CLOSE = Evaluator.begin, Evaluator.close
_Idle = list[tuple[Any, Any]]


@pytest.fixture(scope="session")
def evaluator() -> Iterator[Evaluator]:
    """TensorFlow in a child process."""
    with Evaluator() as running:
        yield running


@pytest.fixture(scope="session")
def idle() -> Iterator[_Idle]:
    """The processes that no evaluator uses at the moment, each with the file of its messages."""
    processes: _Idle = []
    yield processes
    for process, messages in processes:
        process.communicate()
        messages.close()


@pytest.fixture
def reused(idle: _Idle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each evaluator takes the process of an earlier one: to start one takes longer than most commands."""

    def begin(self: Evaluator) -> None:
        if self._process is None and idle and not self._op_libraries:
            self._process, self._messages = idle.pop()
        _BEGIN(self)

    def close(self: Evaluator) -> None:
        process = self._process
        if process is None or process.poll() is not None or self._op_libraries:
            _CLOSE(self)
            return
        for graph in self._kept.values():
            self.request(UnloadRequest(graph=graph._number))
        self._kept.clear()
        idle.append((process, self._messages))
        self._process = None

    monkeypatch.setattr(Evaluator, "begin", begin)
    monkeypatch.setattr(Evaluator, "close", close)


@pytest.fixture
def own_processes(reused: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each evaluator starts a process, in a module that uses `reused`."""
    monkeypatch.setattr(Evaluator, "begin", _BEGIN)
    monkeypatch.setattr(Evaluator, "close", _CLOSE)
