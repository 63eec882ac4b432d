"""Changes the function that gets log messages while runs fail; prints the number of warnings that the functions got.

    python -m e2e.sessions.changing_log LIBRARY MODEL RUNS

MODEL computes `y` from a matrix `x` with three columns. Each run fails for lack of memory and writes one warning. Run it in its
own process: the log and its level are those of the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from e2e.sessions.numpy_session import run
from tfcarve.client.c_interface import LogSink
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.client.session import Session

_THREADS = 4
_WARNING = 1


class _Log:
    """A function for messages, with a number that it must get back."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.warnings: list[str] = []
        # The library calls it: it must exist as long as this.
        self.sink = LogSink(self._receive)

    def _receive(self, context: int, severity: int, text: bytes) -> None:
        if b"OP_REQUIRES failed" in text:
            assert (context, severity) == (self.number, _WARNING)
            assert b"OOM when allocating" in text
            self.warnings.append(text.decode())

    def select(self, library: Library) -> None:
        """Sends all messages to it."""
        assert library.calls.tfcarve_set_log(self.sink, self.number, 0) == 0


def _fail(session: Session) -> None:
    try:
        run(session, {"x": np.ones((100, 3), np.float32)}, ["y"])
    except CallError as error:
        assert "OOM" in str(error)
    else:
        raise AssertionError("the run did not fail")


def main(path: str, model: str, runs: str) -> None:
    """Runs the model and prints the number."""
    library = Library(path)
    logs = [_Log(7), _Log(8)]
    logs[0].select(library)
    with (
        library.session_from_file(model, memory_limit=64) as session,
        ThreadPoolExecutor(_THREADS) as pool,
    ):
        tasks: list[Callable[[], None]] = []
        for number in range(int(runs)):
            tasks += [partial(logs[number % 2].select, library), partial(_fail, session)]
        list(pool.map(lambda task: task(), tasks))
    assert library.calls.tfcarve_set_log(LogSink(), None, 0) == 0
    print(sum(len(log.warnings) for log in logs))


if __name__ == "__main__":
    main(*sys.argv[1:])
