"""Prints how many bytes the peak of the process's memory grows for an aligned input, and for one that is not aligned.

    python -m e2e.sessions.input_memory LIBRARY MODEL SIZE

The model has the input `x` with 16 columns and the output `sum`. SIZE is the input's, in bytes.
"""

from __future__ import annotations

import sys

import numpy as np

from tfcarve import dtypes
from tfcarve.benchmark.process_status import status_bytes
from tfcarve.client.arrays import Array
from tfcarve.client.library import Library

_ROW = 16 * 4


def _peak() -> int:
    # Not ru_maxrss, which starts with that of the parent process.
    peak = status_bytes("VmHWM")
    assert peak is not None
    return peak


def main(path: str, model: str, size: str) -> None:
    """Prints the two numbers."""
    count = int(size)
    memory = np.ones(count + 128, np.uint8)
    aligned = memory.ctypes.data + -memory.ctypes.data % 64
    shape = (count // _ROW, 16)
    with Library(path).session_from_file(model) as session:
        bound = session.bind({"x": Array(dtypes.NUMBER_OF["float32"], shape, b"")}, ["sum"])
        bound.inputs[0].size = count
        for address in (aligned, aligned + 4):
            bound.inputs[0].data = address
            before = _peak()
            bound.run().free()
            print(_peak() - before)


if __name__ == "__main__":
    main(*sys.argv[1:])
