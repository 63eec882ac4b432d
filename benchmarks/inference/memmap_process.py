"""A process that loads a model and runs it once, for benchmarks.inference.memmap.

    python -m benchmarks.inference.memmap_process LIBRARY MODEL FORM INPUT.npy

FORM is `file` or `bytes`. Prints JSON: the load time after loading, and for each line on standard input the memory since
before the model was loaded.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import numpy as np

from demo import library
from tfcarve import dtypes
from tfcarve.client import arrays
from tfcarve.client.library import Library

_ROLLUP = re.compile(r"^(Pss_Anon|Pss_File): +(\d+) kB$", re.MULTILINE)


def memory() -> dict[str, int]:
    """Returns this process's memory in bytes: anonymous and of files. A page that n processes share counts 1/n."""
    text = Path("/proc/self/smaps_rollup").read_text(encoding="utf-8")
    return {name: int(size) * 1024 for name, size in _ROLLUP.findall(text)}


def main(path: str, model: str, form: str, fed: str) -> None:
    """Loads and runs the model, then reports until standard input ends."""
    loaded = Library(path)
    array = np.load(fed)
    input_array = arrays.Array(dtypes.NUMBER_OF[array.dtype.name], array.shape, array.tobytes())
    before, start = memory(), time.process_time()
    session = (
        loaded.session_from_file(model)
        if form == "file"
        else loaded.session_from_bytes(Path(model).read_bytes())
    )
    seconds = time.process_time() - start
    with session:
        session.bind({library.INPUT: input_array}, [library.OUTPUT]).run().free()
        print(json.dumps({"seconds": seconds}), flush=True)
        for _ in sys.stdin:
            print(json.dumps({n: s - before[n] for n, s in memory().items()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
