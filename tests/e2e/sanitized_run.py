"""Runs graphs in a library that is compiled with a sanitizer, whose runtime must be preloaded.

    python -m e2e.sanitized_run LIBRARY FOLDER [FAULT]

FOLDER has NAME.pb for each graph, and NAME.0.npy, NAME.1.npy, … for its inputs. Each graph runs with each instruction set of
this CPU, and all its inputs at the same time. Prints how many runs succeeded, and how many the library refused. With FAULT, one
of _FAULTS, it then makes a mistake that the sanitizer must report.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from e2e import cpu_features, numpy_session
from tfcarve.benchmark.c_api import Buffer, CallError, Library, Session

INPUT, OUTPUT = "input", "output"
_THREADS = 4


def _ran(session: Session, fed: numpy_session.Array) -> bool:
    try:
        numpy_session.run(session, {INPUT: fed}, [OUTPUT])
    except CallError:
        return False
    return True


def _run(library: Library, graph: bytes, feeds: Sequence[numpy_session.Array]) -> list[bool]:
    """Returns for each input whether the graph ran with it."""
    try:
        session = library.session_from_bytes(graph, _THREADS)
    except CallError:
        return [False] * len(feeds)
    with session, ThreadPoolExecutor(_THREADS) as pool:
        return list(pool.map(lambda fed: _ran(session, fed), feeds))


def _into_buffers(library: Library, model: Path, buffers: Sequence[Buffer]) -> None:
    """Runs the model at the same time with each of the output buffers."""
    fed = np.load(model.with_suffix(".0.npy"))

    def run(buffer: Buffer) -> None:
        inputs = {INPUT: numpy_session.packed(fed, [])}
        session.bind(inputs, [OUTPUT]).run(output_buffers=(Buffer * 1)(buffer)).free()

    with (
        library.session_from_bytes(model.read_bytes(), _THREADS) as session,
        ThreadPoolExecutor(len(buffers)) as pool,
    ):
        list(pool.map(run, buffers))


def _allocated(size: int) -> int:
    allocate = ctypes.CDLL(None).malloc
    allocate.argtypes, allocate.restype = (ctypes.c_size_t,), ctypes.c_void_p
    return int(allocate(size))


def _short_buffer(library: Library, model: Path) -> None:
    """Passes a buffer with a size that is larger than its memory."""
    _into_buffers(library, model, [Buffer(_allocated(16), 1 << 20)])


def _shared_buffer(library: Library, model: Path) -> None:
    """Passes the same buffer to runs at the same time."""
    _into_buffers(library, model, [Buffer(_allocated(1 << 20), 1 << 20)] * 16)


_FAULTS: Mapping[str, Callable[[Library, Path], None]] = {
    "short buffer": _short_buffer,
    "shared buffer": _shared_buffer,
}


def main(path: str, folder: str, fault: str = "") -> None:
    """Runs the graphs."""
    library = Library(path)
    models = sorted(Path(folder).glob("*.pb"))
    found: list[bool] = []
    for model in models:
        feeds = [np.load(file) for file in sorted(model.parent.glob(f"{model.stem}.*.npy"))]
        for cpu in cpu_features.supported():
            assert library.set_cpu(cpu)
            found += _run(library, model.read_bytes(), feeds)
    print(sum(found), len(found) - sum(found))
    if fault:
        _FAULTS[fault](library, models[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
