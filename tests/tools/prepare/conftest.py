"""Shared fixtures: one child process that runs TensorFlow."""

from collections.abc import Iterator

import pytest

from tfcarve.prepare.evaluate.evaluator import Evaluator


@pytest.fixture(scope="session")
def evaluator() -> Iterator[Evaluator]:
    """TensorFlow in a child process."""
    with Evaluator() as running:
        yield running
