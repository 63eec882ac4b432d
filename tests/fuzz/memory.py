"""How much memory a reader takes for an input, and how much it may.

    PYTHONPATH=tools:tests:tests/tools/support python -m fuzz.memory READER FILE…

asks it for each file and fails, naming them, for those that take too much.
"""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path

from fuzz import readers

# A reader may take so many times its input, and Reader.spare besides.
TIMES = 10
# Inputs are repeated up to so many bytes: in small ones nothing shows.
GROWN = 1_000_000


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


def takes_too_much(name: str, data: bytes) -> str:
    """Says how far `data`, or more of it, takes a reader above what it may take; empty where it does not."""
    for given in (data, grown(data)):
        taken = peak(name, given)
        if taken > TIMES * len(given) + readers.READERS[name].spare:
            return f"{taken} bytes for {len(given)}"
    return ""


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
