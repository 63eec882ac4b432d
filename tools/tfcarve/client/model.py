"""Models in a carved library, with NumPy arrays: the interface of wheels that `tfcarve wheel` makes.

It needs NumPy and the standard library only, because a wheel contains a copy of it.
"""

from __future__ import annotations

import ctypes
import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tfcarve.client import c_interface
from tfcarve.client.c_interface import Dtype
from tfcarve.client.calls import declared, loaded, text

Array = npt.NDArray[Any]

_NUMPY: Mapping[int, Any] = {
    Dtype.FLOAT: np.float32,
    Dtype.DOUBLE: np.float64,
    Dtype.HALF: np.float16,
    Dtype.BOOL: np.bool_,
    Dtype.INT8: np.int8,
    Dtype.INT16: np.int16,
    Dtype.INT32: np.int32,
    Dtype.INT64: np.int64,
    Dtype.UINT8: np.uint8,
    Dtype.UINT16: np.uint16,
    Dtype.UINT32: np.uint32,
    Dtype.UINT64: np.uint64,
    Dtype.COMPLEX64: np.complex64,
    Dtype.COMPLEX128: np.complex128,
    Dtype.STRING: np.object_,
}
_library = cache(loaded)
_DTYPES = {np.dtype(numpy): Dtype(number) for number, numpy in _NUMPY.items()}


class ModelError(Exception):
    """A model cannot be loaded or run.

    Attributes:
      status: a tfcarve_status, such as 12 for an op that the library does not have.
      node: the node that failed; "" if it is not known.
    """

    def __init__(self, message: str, status: int, node: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.node = node


@dataclass(frozen=True)
class TensorInfo:
    """An input or output that a model declares; `dtype` and `shape` are None if it does not state them, and a size of any number."""

    name: str
    dtype: np.dtype[Any] | None
    shape: tuple[int | None, ...] | None


class Model:
    """A model that is loaded in the library; it may run in several threads at once.

    Attributes:
      inputs: the inputs that the model declares.
      outputs: the outputs of the nodes that no other node uses.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        library: str | os.PathLike[str],
        threads: int = 1,
    ) -> None:
        """Loads a model.

        Args:
          path: a frozen GraphDef.
          library: the carved shared library.
          threads: the number of threads that compute an op; 0: one for each core.

        Raises:
          ModelError: the file is not a model, or the library does not have its ops.
          OSError: the library cannot be loaded on this machine.
        """
        self._calls = calls = _library(os.fspath(library))
        options = c_interface.SessionOptions(threads=threads)
        self._handle = calls.tfcarve_session_new_from_file(os.fsencode(path), options)
        weakref.finalize(self, calls.tfcarve_session_free, self._handle)
        error = calls.tfcarve_session_error(self._handle)
        if error is not None:
            node = calls.tfcarve_session_error_node(self._handle)
            status = calls.tfcarve_session_status(self._handle)
            raise ModelError(text(error), status, text(node))
        self.inputs = self._infos(calls.tfcarve_session_input_count, calls.tfcarve_session_input)
        self.outputs = self._infos(calls.tfcarve_session_output_count, calls.tfcarve_session_output)

    def _infos(self, count: Any, get: Any) -> tuple[TensorInfo, ...]:
        return tuple(
            TensorInfo(
                name,
                np.dtype(_NUMPY[dtype]) if dtype in _NUMPY else None,
                None if dims is None else tuple(None if size < 0 else size for size in dims),
            )
            for name, dtype, dims in declared(count, get, self._handle)
        )

    def __call__(
        self,
        inputs: Mapping[str, npt.ArrayLike] | None = None,
        /,
        *,
        outputs: Sequence[str] = (),
        timeout: float | None = None,
        **named: npt.ArrayLike,
    ) -> dict[str, Array]:
        """Runs the model.

        Args:
          inputs: the values of inputs, by name: "x" or "x:1".
          outputs: the tensors to compute; default: the model's outputs.
          timeout: seconds after which the run ends with an error.
          **named: further inputs, whose names are identifiers.

        Returns:
          The outputs by name. Their memory belongs to them; strings are bytes objects.

        Raises:
          ModelError: the model does not run on these inputs.
          TypeError: an input has a type that TensorFlow does not have.
        """
        fed = {**(inputs or {}), **named}
        wanted = list(outputs) or [info.name for info in self.outputs]
        kept: list[Any] = []  # what the structures point to
        tensors = (c_interface.Tensor * len(fed))(
            *(self._tensor(name, value, kept) for name, value in fed.items())
        )
        names = (ctypes.c_char_p * len(wanted))(*(name.encode() for name in wanted))
        milliseconds = 0 if timeout is None else max(1, round(timeout * 1000))
        options = c_interface.RunOptions(timeout_ms=milliseconds)
        handle = self._calls.tfcarve_session_run(
            self._handle, tensors, len(fed), names, len(wanted), options
        )
        result = _Result(self._calls, handle)
        error = self._calls.tfcarve_result_error(handle)
        if error is not None:
            node = self._calls.tfcarve_result_error_node(handle)
            raise ModelError(text(error), self._calls.tfcarve_result_status(handle), text(node))
        return {name: result.output(index) for index, name in enumerate(wanted)}

    def _tensor(self, name: str, value: npt.ArrayLike, kept: list[Any]) -> c_interface.Tensor:
        array = np.asarray(value)
        declared = next((info.dtype for info in self.inputs if info.name == name), None)
        if array.dtype.kind in "SUO":
            return _string_tensor(name, array, kept)
        # Python's own numbers have the type that the model declares.
        if declared is not None and not hasattr(value, "dtype"):
            array = array.astype(declared)
        array = np.ascontiguousarray(array).reshape(array.shape)
        if array.dtype not in _DTYPES:
            raise TypeError(
                f"input {name!r} has type {array.dtype}, which TensorFlow does not have"
            )
        return _as_tensor(name, _DTYPES[array.dtype], array, array.ctypes.data, array.nbytes, kept)


def _as_tensor(
    name: str, dtype: int, array: Array, data: int, size: int, kept: list[Any]
) -> c_interface.Tensor:
    dims = (ctypes.c_int64 * array.ndim)(*array.shape)
    kept += [array, dims]
    return c_interface.Tensor(name.encode(), dtype, array.ndim, dims, data, size)


def _string_tensor(name: str, array: Array, kept: list[Any]) -> c_interface.Tensor:
    texts = [each.encode() if isinstance(each, str) else bytes(each) for each in array.flat]
    strings = (c_interface.String * len(texts))(
        *(c_interface.String(each, len(each)) for each in texts)
    )
    kept += [texts, strings]
    place, size = ctypes.addressof(strings), ctypes.sizeof(strings)
    return _as_tensor(name, Dtype.STRING, array, place, size, kept)


class _Result:
    """The outputs of a run; the arrays that view them keep it."""

    def __init__(self, calls: ctypes.CDLL, handle: int) -> None:
        self._calls = calls
        self._handle = handle
        weakref.finalize(self, calls.tfcarve_result_free, handle)

    def output(self, index: int) -> Array:
        tensor = c_interface.Tensor()
        self._calls.tfcarve_result_get(self._handle, index, ctypes.byref(tensor))
        shape = tuple(tensor.dims[: tensor.rank]) if tensor.rank else ()
        if tensor.dtype == Dtype.STRING:
            return _strings(tensor, shape)
        if tensor.dtype not in _NUMPY:
            raise TypeError(
                f"output {index} has TensorFlow's type {tensor.dtype}, which NumPy does not have"
            )
        dtype = np.dtype(_NUMPY[tensor.dtype])
        if not tensor.size:
            return np.zeros(shape, dtype)
        return np.asarray(_Memory(self, tensor.data, shape, dtype))


class _Memory:
    """Memory of a result, which NumPy views without a copy."""

    def __init__(
        self, owner: _Result, data: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self._owner = owner
        self.__array_interface__ = {
            "data": (data, False),
            "shape": shape,
            "typestr": dtype.str,
            "version": 3,
        }


def _strings(tensor: c_interface.Tensor, shape: tuple[int, ...]) -> Array:
    count = tensor.size // ctypes.sizeof(c_interface.String)
    strings = ctypes.cast(tensor.data, ctypes.POINTER(c_interface.String))
    found = np.empty(count, np.object_)
    for index in range(count):
        place = ctypes.cast(
            ctypes.addressof(strings[index]) + c_interface.String.data.offset,
            ctypes.POINTER(ctypes.c_void_p),
        )
        size = strings[index].size
        found[index] = ctypes.string_at(place[0], size) if size else b""
    return found.reshape(shape)
