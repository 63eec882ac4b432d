"""TensorFlow in a child process that all tests of a process share."""

from __future__ import annotations

import atexit
import functools

from tfcarve.prepare.evaluate.evaluator import Evaluator

# Bytes: large enough for each model of a test.
_SIZE = 1 << 28


@functools.cache
def evaluator(op_libraries: tuple[str, ...] = ()) -> Evaluator:
    """The process with libraries of custom ops."""
    created = Evaluator(_SIZE, op_libraries)
    atexit.register(created.close)
    return created
