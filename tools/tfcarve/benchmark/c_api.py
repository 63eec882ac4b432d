"""A carved shared library, called through its C interface (tools/runtime/tfcarve_c_api.h)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tfcarve.benchmark.arrays import Array
from tfcarve.benchmark.measurement import Shape


class _Tensor(ctypes.Structure):
    _fields_: ClassVar = [
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
    ]


class _NodeTrace(ctypes.Structure):
    _fields_: ClassVar = [
        ("node", ctypes.c_char_p),
        ("op", ctypes.c_char_p),
        ("inputs", ctypes.c_char_p),
        ("start_ns", ctypes.c_int64),
        ("duration_ns", ctypes.c_int64),
        ("allocated_bytes", ctypes.c_int64),
        ("output_count", ctypes.c_size_t),
        ("outputs", ctypes.POINTER(_Tensor)),
    ]


_POINTER, _TEXT, _INT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_size_t
_RUN = (_POINTER, ctypes.POINTER(_Tensor), _SIZE, ctypes.POINTER(_TEXT), _SIZE)
_FUNCTIONS: Mapping[str, tuple[Any, tuple[Any, ...]]] = {
    "tfcarve_session_new": (_POINTER, (_TEXT, _SIZE, _INT)),
    "tfcarve_session_new_from_file": (_POINTER, (_TEXT, _INT)),
    "tfcarve_session_mapped_bytes": (_SIZE, (_POINTER,)),
    "tfcarve_session_error": (_TEXT, (_POINTER,)),
    "tfcarve_session_status": (_INT, (_POINTER,)),
    "tfcarve_session_free": (None, (_POINTER,)),
    "tfcarve_session_run": (_POINTER, _RUN),
    "tfcarve_session_run_traced": (_POINTER, _RUN),
    "tfcarve_result_error": (_TEXT, (_POINTER,)),
    "tfcarve_result_status": (_INT, (_POINTER,)),
    "tfcarve_result_get": (_INT, (_POINTER, _SIZE, ctypes.POINTER(_Tensor))),
    "tfcarve_result_trace_count": (_SIZE, (_POINTER,)),
    "tfcarve_result_trace_get": (_INT, (_POINTER, _SIZE, ctypes.POINTER(_NodeTrace))),
    "tfcarve_result_free": (None, (_POINTER,)),
    "tfcarve_kernel_count": (_SIZE, ()),
    "tfcarve_cpu": (_TEXT, ()),
    "tfcarve_set_cpu": (_INT, (_TEXT,)),
}


class CallError(Exception):
    """A call failed; `status` is its tfcarve_status."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class NodeRun:
    """An execution of a node in a traced run; an output is the number of its data type and its shape."""

    node: str
    op: str
    inputs: str
    start_ns: int
    duration_ns: int
    allocated_bytes: int
    outputs: tuple[tuple[int, Shape], ...]


class Library:
    """A loaded library; it stays loaded until the process ends."""

    def __init__(self, path: str | Path) -> None:
        """Loads it; raises CallError if it cannot be loaded or does not have the C interface."""
        try:
            self._calls = ctypes.CDLL(str(path))
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(self._calls, name)
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError) as error:
            raise CallError(2, f"{path}: cannot be used: {error}") from None

    def session_from_file(self, model: str | Path | None, threads: int = 1) -> Session:
        """Creates a session for a file that holds a serialized GraphDef; raises CallError if that fails."""
        path = None if model is None else os.fsencode(model)
        handle = self._calls.tfcarve_session_new_from_file(path, threads)
        return Session(self._calls, handle, f"{model}: ")

    def session_from_bytes(self, graph: bytes, threads: int = 1) -> Session:
        """Creates a session for a serialized GraphDef; raises CallError if that fails."""
        return Session(self._calls, self._calls.tfcarve_session_new(graph, len(graph), threads), "")

    def kernel_count(self) -> int:
        """Returns the number of registered kernels."""
        return int(self._calls.tfcarve_kernel_count())

    def cpu(self) -> str:
        """Returns the name of the instruction set that the library uses."""
        return _text(self._calls.tfcarve_cpu())

    def set_cpu(self, name: str | None) -> bool:
        """Chooses an instruction set, "" for the best one; returns whether the library and the CPU have it."""
        chosen = None if name is None else name.encode()
        return bool(self._calls.tfcarve_set_cpu(chosen) == 0)


class Session:
    """A graph that is ready to run; leaving its context frees it."""

    def __init__(self, calls: ctypes.CDLL, handle: int, prefix: str) -> None:
        """Takes ownership of `handle`; `prefix` starts the messages of failed runs."""
        self._calls = calls
        self._handle = handle
        self._prefix = prefix
        error = calls.tfcarve_session_error(handle)
        if error is not None:
            failure = CallError(calls.tfcarve_session_status(handle), _text(error))
            calls.tfcarve_session_free(handle)
            raise failure

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._calls.tfcarve_session_free(self._handle)

    @property
    def mapped_bytes(self) -> int:
        """Bytes of constants that are used in place in the mapped file."""
        return int(self._calls.tfcarve_session_mapped_bytes(self._handle))

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[str]) -> BoundSession:
        """Returns the session with fixed inputs and outputs, valid as long as this session."""
        return BoundSession(self._calls, self._handle, self._prefix, inputs, outputs)


class BoundSession:
    """A session with inputs and outputs in the form of the C interface."""

    def __init__(
        self,
        calls: ctypes.CDLL,
        session: int,
        prefix: str,
        inputs: Mapping[str, Array],
        outputs: Sequence[str],
    ) -> None:
        self._calls = calls
        self._session = session
        self._prefix = prefix
        # The structures point to these.
        self._data = [ctypes.c_char_p(array.data) for array in inputs.values()]
        self._inputs = (_Tensor * len(inputs))(
            *(
                _Tensor(
                    name.encode(),
                    array.dtype,
                    len(array.dims),
                    (ctypes.c_int64 * len(array.dims))(*array.dims),
                    ctypes.cast(data, ctypes.c_void_p),
                    len(array.data),
                )
                for (name, array), data in zip(inputs.items(), self._data, strict=True)
            )
        )
        self._outputs = (_TEXT * len(outputs))(*(name.encode() for name in outputs))

    def run(self) -> Result:
        """Runs the graph once; raises CallError if that fails."""
        return self._run(self._calls.tfcarve_session_run)

    def run_traced(self) -> Result:
        """Runs the graph once and records each node; raises CallError if that fails."""
        return self._run(self._calls.tfcarve_session_run_traced)

    def _run(self, function: Any) -> Result:
        handle: int = function(
            self._session, self._inputs, len(self._inputs), self._outputs, len(self._outputs)
        )
        error = self._calls.tfcarve_result_error(handle)
        if error is not None:
            status = self._calls.tfcarve_result_status(handle)
            failure = CallError(status, self._prefix + _text(error))
            self._calls.tfcarve_result_free(handle)
            raise failure
        return Result(self._calls, handle)


class Result:
    """The outputs of a run; independent of the session. Leaving its context frees it."""

    def __init__(self, calls: ctypes.CDLL, handle: int) -> None:
        self._calls = calls
        self._handle = handle

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()

    def free(self) -> None:
        """Frees the result."""
        self._calls.tfcarve_result_free(self._handle)

    def output(self, index: int) -> Array:
        """Returns a copy of an output, in the order of the names; raises IndexError if there is none."""
        tensor = _Tensor()
        if self._calls.tfcarve_result_get(self._handle, index, ctypes.byref(tensor)) != 0:
            raise IndexError(index)
        data = ctypes.string_at(tensor.data, tensor.size) if tensor.size else b""
        return Array(tensor.dtype, _dims(tensor), data)

    def trace(self) -> list[NodeRun]:
        """Returns the executions of nodes that a traced run recorded, by their start."""
        runs = []
        for index in range(self._calls.tfcarve_result_trace_count(self._handle)):
            trace = _NodeTrace()
            self._calls.tfcarve_result_trace_get(self._handle, index, ctypes.byref(trace))
            runs.append(_node_run(trace))
        return sorted(runs, key=lambda run: run.start_ns)


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _dims(tensor: _Tensor) -> Shape:
    return tuple(tensor.dims[: tensor.rank]) if tensor.rank else ()


def _node_run(trace: _NodeTrace) -> NodeRun:
    outputs = (trace.outputs[i] for i in range(trace.output_count))
    return NodeRun(
        _text(trace.node),
        _text(trace.op),
        _text(trace.inputs),
        trace.start_ns,
        trace.duration_ns,
        trace.allocated_bytes,
        tuple((output.dtype, _dims(output)) for output in outputs),
    )
