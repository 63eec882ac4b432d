"""Sessions of a carved shared library, run with NumPy arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcarve import dtypes
from tfcarve.benchmark import arrays
from tfcarve.benchmark.c_api import Result, Session

Array = np.ndarray[Any, np.dtype[Any]]


def _packed(array: Array) -> arrays.Array:
    return arrays.Array(dtypes.NUMBER_OF[array.dtype.name], array.shape, array.tobytes())


def output(result: Result, index: int) -> Array:
    """Returns a copy of an output."""
    found = result.output(index)
    dtype = np.dtype(dtypes.from_number(found.dtype))
    return np.frombuffer(found.data, dtype).reshape(found.dims).copy()


def run(session: Session, feeds: Mapping[str, Array], fetches: Sequence[str]) -> list[Array]:
    """Runs the graph; raises CallError if that fails."""
    inputs = {name: _packed(np.asarray(array)) for name, array in feeds.items()}
    with session.bind(inputs, fetches).run() as result:
        return [output(result, index) for index in range(len(fetches))]
