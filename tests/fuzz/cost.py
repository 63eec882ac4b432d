"""The memory and time that a reader takes for an input, and the limits.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.cost READER FILE…

measures each file, the file repeated up to a megabyte, and versions of it with one part repeated. It prints the
files that exceed a limit and exits with status 1 if there are any.
"""

from __future__ import annotations

import functools
import signal
import sys
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from fuzz import readers
from fuzz.repeated import repeated

# A reader may use this many times its input's size, plus Reader.spare.
TIMES = 10
# The processor time that a reader may use for one input.
SECONDS = 5
# Inputs are repeated up to this many bytes: small ones show nothing.
GROWN = 1_000_000
# How many versions of each input have a part repeated.
_PARTS = 4


@functools.cache
def _fill(name: str) -> None:
    """Lets a reader compute what it computes once."""
    for seed in readers.READERS[name].seeds:
        readers.read(name, seed)


def peak(name: str, data: bytes) -> int:
    """Returns the peak of allocated bytes while a reader reads `data`."""
    _fill(name)
    tracemalloc.start()
    try:
        readers.read(name, data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def grown(data: bytes) -> bytes:
    """Returns `data` repeated. For a reader of protobuf messages, that is a longer message."""
    return data * max(1, GROWN // max(1, len(data)))


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the body after `seconds` of processor time."""

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def takes_too_long(name: str, data: bytes) -> str:
    """Returns a message if reading `data` takes too long, otherwise an empty string."""
    readers.READERS[name].start()
    try:
        with _at_most(SECONDS):
            readers.read(name, data)
    except TimeoutError:
        return f"more than {SECONDS} s for {len(data)} bytes"
    return ""


def takes_too_much_memory(name: str, data: bytes) -> str:
    """Returns a message if reading `data` takes too much memory, otherwise an empty string."""
    taken = peak(name, data)
    too_much = taken > TIMES * len(data) + readers.READERS[name].spare
    return f"{taken} bytes for {len(data)}" if too_much else ""


def takes_too_much(name: str, data: bytes) -> str:
    """Returns a message if `data`, or a repetition of it, exceeds a limit, otherwise an empty string."""
    for number in range(_PARTS):
        version = repeated(data, zlib.crc32(data) + number)
        problem = takes_too_long(name, version) or takes_too_much_memory(name, version)
        if problem:
            return f"part {number} repeated: {problem}"
    return takes_too_much_memory(name, data) or takes_too_much_memory(name, grown(data))


def main() -> int:
    """Measures each file. Exit status 1 if one exceeds a limit."""
    _, name, *files = sys.argv
    status = 0
    for file in map(Path, files):
        problem = takes_too_much(name, file.read_bytes())
        if problem:
            print(f"{file}: {problem}", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
