"""The C interface of a carved shared library, called from Python as an app calls it from C."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

# tfcarve_dtype
_NUMBERS = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "complex64": 8,
    "int64": 9,
    "bool": 10,
    "float16": 19,
}
_NAMES = {number: name for name, number in _NUMBERS.items()}


class CallError(Exception):
    """A call failed: `status` is its tfcarve_status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
    )


_SIGNATURES: dict[str, tuple[Any, Sequence[Any]]] = {
    "tfcarve_session_new": (ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32)),
    "tfcarve_session_new_from_file": (ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_int32)),
    "tfcarve_session_mapped_bytes": (ctypes.c_size_t, (ctypes.c_void_p,)),
    "tfcarve_session_error": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "tfcarve_session_status": (ctypes.c_int32, (ctypes.c_void_p,)),
    "tfcarve_session_free": (None, (ctypes.c_void_p,)),
    "tfcarve_session_run": (
        ctypes.c_void_p,
        (
            ctypes.c_void_p,
            ctypes.POINTER(_Tensor),
            ctypes.c_size_t,
            ctypes.POINTER(ctypes.c_char_p),
            ctypes.c_size_t,
        ),
    ),
    "tfcarve_result_error": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "tfcarve_result_status": (ctypes.c_int32, (ctypes.c_void_p,)),
    "tfcarve_result_get": (
        ctypes.c_int32,
        (ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(_Tensor)),
    ),
    "tfcarve_result_free": (None, (ctypes.c_void_p,)),
    "tfcarve_cpu": (ctypes.c_char_p, ()),
    "tfcarve_set_cpu": (ctypes.c_int32, (ctypes.c_char_p,)),
    "tfcarve_kernel_count": (ctypes.c_size_t, ()),
    "tfcarve_has_op": (ctypes.c_int32, (ctypes.c_char_p,)),
}


class Library:
    """A loaded libtensorflow-core.so."""

    def __init__(self, path: Path) -> None:
        self._calls = ctypes.CDLL(str(path))
        for name, (result, arguments) in _SIGNATURES.items():
            call = getattr(self._calls, name)
            call.restype, call.argtypes = result, arguments

    def __getattr__(self, name: str) -> Any:
        return getattr(self._calls, f"tfcarve_{name}")

    def of_file(self, path: Path | str | None, threads: int = 1) -> Session:
        """A session of a file; raises CallError."""
        name = None if path is None else str(path).encode()
        return Session(self, self.session_new_from_file(name, threads))

    def of_bytes(self, graph: bytes, threads: int = 1) -> Session:
        """A session of a serialized GraphDef; raises CallError."""
        return Session(self, self.session_new(graph, len(graph), threads))

    def output(self, result: int, index: int) -> Array:
        """A copy of one of the outputs of a tfcarve_result."""
        tensor = _Tensor()
        assert self.result_get(result, index, ctypes.byref(tensor)) == 0
        shape = tuple(tensor.dims[i] for i in range(tensor.rank))
        raw = ctypes.string_at(tensor.data, tensor.size) if tensor.size else b""
        return np.frombuffer(raw, _NAMES[tensor.dtype]).reshape(shape).copy()


class Session:
    """A session; ends with `with`."""

    def __init__(self, library: Library, handle: int) -> None:
        self._library, self._handle = library, handle
        error = library.session_error(handle)
        if error is not None:
            status = library.session_status(handle)
            library.session_free(handle)
            raise CallError(status, error.decode(errors="replace"))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._library.session_free(self._handle)

    @property
    def mapped_bytes(self) -> int:
        """How many bytes of constants are in the mapped file."""
        return int(self._library.session_mapped_bytes(self._handle))

    def run(self, feeds: Mapping[str, Array], fetches: Sequence[str]) -> list[Array]:
        """Runs the graph; raises CallError."""
        arrays = [np.asarray(array, order="C") for array in feeds.values()]
        inputs = (_Tensor * len(arrays))()
        for tensor, name, array in zip(inputs, feeds, arrays, strict=True):
            tensor.name = name.encode()
            tensor.dtype = _NUMBERS[array.dtype.name]
            tensor.rank = array.ndim
            tensor.dims = (ctypes.c_int64 * array.ndim)(*array.shape)
            tensor.data = array.ctypes.data
            tensor.size = array.nbytes
        names = (ctypes.c_char_p * len(fetches))(*(name.encode() for name in fetches))
        result = self._library.session_run(self._handle, inputs, len(inputs), names, len(names))
        try:
            error = self._library.result_error(result)
            if error is not None:
                raise CallError(self._library.result_status(result), error.decode(errors="replace"))
            return [self._library.output(result, i) for i in range(len(fetches))]
        finally:
            self._library.result_free(result)
