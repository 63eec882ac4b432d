"""What a reader takes for an input, in memory and time, and what it may.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.cost READER FILE…

asks it for each file, for more of it and for some in which a part is repeated, and fails, naming them, for
those that take too much.
"""

from __future__ import annotations

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

# A reader may take so many times its input, and Reader.spare besides.
TIMES = 10
# And so many seconds of processor time for what is made of an input.
SECONDS = 5
# Inputs are repeated up to so many bytes: in small ones nothing shows.
GROWN = 1_000_000
# So many parts of each are repeated.
_PARTS = 4


def peak(name: str, data: bytes) -> int:
    """Returns the bytes that reading `data` takes at most at a time."""
    for seed in readers.READERS[name].seeds:  # what is made once is made
        readers.read(name, seed)
    tracemalloc.start()
    try:
        readers.read(name, data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def grown(data: bytes) -> bytes:
    """Returns `data` again and again: a longer message, where messages are read; else an input like any."""
    return data * max(1, GROWN // max(1, len(data)))


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Ends what takes more processor time by TimeoutError."""

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
    """Says that `data` takes a reader more time than it may; empty where it does not."""
    try:
        with _at_most(SECONDS):
            readers.read(name, data)
    except TimeoutError:
        return f"more than {SECONDS} s for {len(data)} bytes"
    return ""


def takes_too_much_memory(name: str, data: bytes) -> str:
    """Says that `data` takes a reader more memory than it may; empty where it does not."""
    taken = peak(name, data)
    too_much = taken > TIMES * len(data) + readers.READERS[name].spare
    return f"{taken} bytes for {len(data)}" if too_much else ""


def takes_too_much(name: str, data: bytes) -> str:
    """Says how far `data`, or what is made of it, takes a reader above what it may take; empty where it does not."""
    for number in range(_PARTS):
        made = repeated(data, zlib.crc32(data) + number)
        said = takes_too_long(name, made) or takes_too_much_memory(name, made)
        if said:
            return f"part {number} repeated: {said}"
    return takes_too_much_memory(name, data) or takes_too_much_memory(name, grown(data))


def main() -> int:
    """Looks at each file; returns 1 where one takes too much."""
    _, name, *files = sys.argv
    status = 0
    for file in map(Path, files):
        said = takes_too_much(name, file.read_bytes())
        if said:
            print(f"{file}: {said}", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
