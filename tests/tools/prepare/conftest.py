"""What the tests of preparation share: one process that runs TensorFlow."""

from collections.abc import Iterator

import pytest

from tfcarve.prepare.evaluate import Evaluator


@pytest.fixture(scope="session")
def evaluator() -> Iterator[Evaluator]:
    """Gives TensorFlow in a process of its own."""
    with Evaluator() as running:
        yield running
