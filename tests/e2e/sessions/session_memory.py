"""Prints the process's anonymous memory in KiB before a session is created, and after one run.

    python -m e2e.sessions.session_memory LIBRARY MODEL (bytes|file|reader) INPUT OUTPUT ROWS COLUMNS

Run it in its own process: freed memory may stay with a process.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from e2e.sessions import reader_session
from e2e.sessions.numpy_session import run
from tfcarve.benchmark.process_status import status_bytes
from tfcarve.client.library import Library
from tfcarve.client.session import Session


def anonymous() -> int:
    """This process's anonymous memory in KiB."""
    size = status_bytes("RssAnon")
    assert size is not None
    return size // 1024


def _session(library: Library, model: str, form: str) -> Session:
    if form == "file":
        return library.session_from_file(model)
    if form == "bytes":
        return library.session_from_bytes(Path(model).read_bytes())
    with Path(model).open("rb") as file:
        size = Path(model).stat().st_size
        return reader_session.opened(library, size, lambda _, count: file.read(count))


def main(path: str, model: str, form: str, fed: str, fetched: str, *shape: str) -> None:
    """Prints the two numbers."""
    library = Library(path)
    input_array = np.ones(tuple(map(int, shape)), np.float32)
    before = anonymous()
    with _session(library, model, form) as session:
        run(session, {fed: input_array}, [fetched])
        print(before, anonymous())


if __name__ == "__main__":
    main(*sys.argv[1:])
