"""Runs graphs in a library that is compiled with a sanitizer, whose runtime must be preloaded.

    python -m e2e.sessions.sanitized_run LIBRARY FOLDER [FAULT]

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

from e2e.sessions import cpu_features, numpy_session
from tfcarve.client.c_interface import Buffer
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library
from tfcarve.client.session import BoundSession, Session

INPUT, OUTPUT = "input", "output"
_THREADS = 4
# Of inputs that are not copied, in bytes.
_ALIGNMENT = 64


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


def _allocated(size: int) -> int:
    allocate = ctypes.CDLL(None).aligned_alloc
    allocate.argtypes, allocate.restype = (ctypes.c_size_t, ctypes.c_size_t), ctypes.c_void_p
    return int(allocate(_ALIGNMENT, size))


def _short_buffer(bound: BoundSession) -> None:
    """Passes a buffer with a size that is larger than its memory."""
    bound.run(output_buffers=(Buffer * 1)(Buffer(_allocated(_ALIGNMENT), 1 << 20))).free()


def _changed_input(bound: BoundSession) -> None:
    """Writes to the input while the graph runs, which reads it where it is."""
    (fed,) = bound.inputs
    fed.data = _allocated(fed.size)
    # Sanitizers do not see how Python writes to memory.
    fill = ctypes.CDLL(None).memset
    fill.argtypes, fill.restype = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t), ctypes.c_void_p
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(bound.run)
        while not run.done():
            fill(fed.data, 0, fed.size)
        run.result().free()


_FAULTS: Mapping[str, Callable[[BoundSession], None]] = {
    "short buffer": _short_buffer,
    "changed input": _changed_input,
}


def _make_a_mistake(library: Library, model: Path, fault: str) -> None:
    fed = numpy_session.packed(np.load(model.with_suffix(".0.npy")), [])
    with library.session_from_bytes(model.read_bytes(), _THREADS) as session:
        _FAULTS[fault](session.bind({INPUT: fed}, [OUTPUT]))


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
        _make_a_mistake(library, models[0], fault)


if __name__ == "__main__":
    main(*sys.argv[1:])
