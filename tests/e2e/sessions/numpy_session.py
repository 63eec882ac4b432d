"""Sessions of a carved shared library, run with NumPy arrays; strings are arrays of bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfcarve import dtypes
from tfcarve.client import arrays
from tfcarve.client.c_interface import String
from tfcarve.client.result import Result
from tfcarve.client.session import Session

Array = np.ndarray[Any, np.dtype[Any]]
_STRING = dtypes.NUMBER_OF["string"]


def packed(array: Array, held: list[bytes]) -> arrays.Array:
    """Returns the array in the form of the C interface; `held` gets the strings that it points to."""
    if array.dtype.kind not in "SO":
        return arrays.Array(dtypes.NUMBER_OF[array.dtype.name], array.shape, array.tobytes())
    texts = array.ravel().tolist()
    held += texts
    strings = (String * len(texts))(*(String(text, len(text)) for text in texts))
    return arrays.Array(_STRING, array.shape, bytes(strings))


def _texts(data: bytes) -> list[bytes]:
    pointers = np.frombuffer(data, np.uintp).reshape(-1, 2)
    return [ctypes.string_at(int(start), int(size)) if size else b"" for start, size in pointers]


def output(result: Result, index: int) -> Array:
    """Returns a copy of an output."""
    found = result.output(index)
    if found.dtype == _STRING:
        texts = np.empty(len(found.data) // ctypes.sizeof(String), object)
        texts[:] = _texts(found.data)
        return texts.reshape(found.dims)
    dtype = np.dtype(dtypes.from_number(found.dtype))
    return np.frombuffer(found.data, dtype).reshape(found.dims).copy()


def run(session: Session, feeds: Mapping[str, Array], fetches: Sequence[str]) -> list[Array]:
    """Runs the graph; raises CallError if that fails."""
    held: list[bytes] = []
    inputs = {name: packed(np.asarray(array), held) for name, array in feeds.items()}
    with session.bind(inputs, fetches).run() as result:
        return [output(result, index) for index in range(len(fetches))]
