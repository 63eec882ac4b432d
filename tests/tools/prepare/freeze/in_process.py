"""Runs the programs of tfcarve.prepare in the process of the test.

Starting a process takes longer than most models. A test module with many models asks for the fixture `in_process`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import in_tests
import pytest

from tfcarve import full_tensorflow
from tfcarve.prepare.evaluate.evaluator import Evaluator


def _runner(other: Callable[..., str]) -> Callable[..., str]:
    """Returns a function as full_tensorflow.run; `other` runs the programs of other packages."""

    def run(module: str, words: Sequence[str | Path], *others: Any) -> str:
        if not module.startswith("tfcarve.prepare."):
            return other(module, words, *others)
        importlib.import_module(module).main(*map(str, words))
        return ""

    return run


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run in this process, and compute in the child process that all tests share."""
    monkeypatch.setattr(full_tensorflow, "run", _runner(full_tensorflow.run))
    monkeypatch.setattr(Evaluator, "__enter__", lambda self: in_tests.evaluator(self._op_libraries))
    monkeypatch.setattr(Evaluator, "__exit__", lambda *_: None)
