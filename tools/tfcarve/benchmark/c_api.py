"""A carved shared library, called through its C interface (tools/runtime/include/tfcarve_c_api.h)."""

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


class _TensorInfo(ctypes.Structure):
    _fields_: ClassVar = [
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class SessionOptions(ctypes.Structure):
    """A tfcarve_session_options; the size is set."""

    _fields_: ClassVar = [
        ("struct_size", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("shared_threads", ctypes.c_void_p),
        ("memory_limit", ctypes.c_size_t),
    ]

    def __init__(self, **members: Any) -> None:
        super().__init__(ctypes.sizeof(SessionOptions), **members)


class Buffer(ctypes.Structure):
    """A tfcarve_buffer."""

    _fields_: ClassVar = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class RunOptions(ctypes.Structure):
    """A tfcarve_run_options; the size is set."""

    _fields_: ClassVar = [
        ("struct_size", ctypes.c_size_t),
        ("timeout_ms", ctypes.c_int64),
        ("cancellation", ctypes.c_void_p),
        ("trace", ctypes.c_int32),
        ("output_buffers", ctypes.POINTER(Buffer)),
    ]

    def __init__(self, **members: Any) -> None:
        super().__init__(ctypes.sizeof(RunOptions), **members)


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
_OPTIONS = ctypes.POINTER(SessionOptions)
_RUN = (_POINTER, ctypes.POINTER(_Tensor), _SIZE, ctypes.POINTER(_TEXT), _SIZE)
_INFO = (_POINTER, _SIZE, ctypes.POINTER(_TensorInfo))
LOG_SINK = ctypes.CFUNCTYPE(None, _POINTER, _INT, _TEXT)
FUNCTIONS: Mapping[str, tuple[Any, tuple[Any, ...]]] = {
    "tfcarve_api_version": (_INT, ()),
    "tfcarve_status_name": (_TEXT, (_INT,)),
    "tfcarve_threads_new": (_POINTER, (_INT,)),
    "tfcarve_threads_free": (None, (_POINTER,)),
    "tfcarve_session_new": (_POINTER, (_TEXT, _SIZE, _OPTIONS)),
    "tfcarve_session_new_from_file": (_POINTER, (_TEXT, _OPTIONS)),
    "tfcarve_session_new_from_reader": (_POINTER, (_POINTER, _OPTIONS)),
    "tfcarve_session_mapped_bytes": (_SIZE, (_POINTER,)),
    "tfcarve_session_error": (_TEXT, (_POINTER,)),
    "tfcarve_session_error_node": (_TEXT, (_POINTER,)),
    "tfcarve_session_status": (_INT, (_POINTER,)),
    "tfcarve_session_input_count": (_SIZE, (_POINTER,)),
    "tfcarve_session_input": (_INT, _INFO),
    "tfcarve_session_output_count": (_SIZE, (_POINTER,)),
    "tfcarve_session_output": (_INT, _INFO),
    "tfcarve_session_free": (None, (_POINTER,)),
    "tfcarve_cancellation_new": (_POINTER, ()),
    "tfcarve_cancel": (None, (_POINTER,)),
    "tfcarve_cancellation_free": (None, (_POINTER,)),
    "tfcarve_session_run": (_POINTER, (*_RUN, ctypes.POINTER(RunOptions))),
    "tfcarve_result_error": (_TEXT, (_POINTER,)),
    "tfcarve_result_error_node": (_TEXT, (_POINTER,)),
    "tfcarve_result_status": (_INT, (_POINTER,)),
    "tfcarve_result_count": (_SIZE, (_POINTER,)),
    "tfcarve_result_get": (_INT, (_POINTER, _SIZE, ctypes.POINTER(_Tensor))),
    "tfcarve_result_trace_count": (_SIZE, (_POINTER,)),
    "tfcarve_result_trace_get": (_INT, (_POINTER, _SIZE, ctypes.POINTER(_NodeTrace))),
    "tfcarve_result_free": (None, (_POINTER,)),
    "tfcarve_manifest": (_TEXT, ()),
    "tfcarve_registrations": (_POINTER, (ctypes.POINTER(_SIZE),)),
    "tfcarve_cpu": (_TEXT, ()),
    "tfcarve_set_cpu": (_INT, (_TEXT,)),
    "tfcarve_set_log": (_INT, (LOG_SINK, _POINTER, _INT)),
    "tfcarve_kernel_count": (_SIZE, ()),
    "tfcarve_has_op": (_INT, (_TEXT,)),
}
API_VERSION = 100
# Values of tfcarve_status.
INVALID_ARGUMENT, UNIMPLEMENTED, DATA_LOSS = 3, 12, 15


class CallError(Exception):
    """A call failed.

    Attributes:
      code: its tfcarve_status.
      status: the exit status of a program that ends because of it: 1 if the library cannot run the model, 2 if the
        model or the use of the library is invalid.
      node: the node that the error is about, or "".
    """

    def __init__(self, code: int, status: int, message: str, node: str = "") -> None:
        self.code = code
        self.status = status
        self.node = node
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """The type and shape that a graph states for a tensor; `dtype` 0 and `dims` None if it states none; size -1 is any size."""

    name: str
    dtype: int
    dims: Shape | None


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


class String(ctypes.Structure):
    """A tfcarve_string."""

    _fields_: ClassVar = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Library:
    """A loaded library; it stays loaded until the process ends."""

    def __init__(self, path: str | Path) -> None:
        """Loads it; raises CallError if it cannot be loaded or does not have the C interface."""
        try:
            self._calls = ctypes.CDLL(str(path))
            for name, (result, arguments) in FUNCTIONS.items():
                function = getattr(self._calls, name)
                function.restype, function.argtypes = result, arguments
            version: int = self._calls.tfcarve_api_version()
            if version // 100 != API_VERSION // 100 or version < API_VERSION:
                raise OSError(f"it has version {version} of the C interface, not {API_VERSION}")
        except (OSError, AttributeError) as error:
            message = f"{path}: cannot be used: {error}"
            raise CallError(INVALID_ARGUMENT, 2, message) from None

    @property
    def calls(self) -> ctypes.CDLL:
        """The functions of the C interface."""
        return self._calls

    def session_from_file(
        self, model: str | Path | None, threads: int = 1, **options: Any
    ) -> Session:
        """Creates a session for a file that holds a serialized GraphDef; raises CallError if that fails.

        Args:
          model: the path of the file.
          threads: the number of threads that compute an op.
          **options: other members of SessionOptions.
        """
        path = None if model is None else os.fsencode(model)
        session_options = SessionOptions(threads=threads, **options)
        handle = self._calls.tfcarve_session_new_from_file(path, session_options)
        return Session(self._calls, handle, f"{model}: ")

    def session_from_bytes(self, graph: bytes, threads: int = 1, **options: Any) -> Session:
        """Creates a session for a serialized GraphDef, with options as `session_from_file`."""
        session_options = SessionOptions(threads=threads, **options)
        return Session(
            self._calls, self._calls.tfcarve_session_new(graph, len(graph), session_options), ""
        )

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
            code = calls.tfcarve_session_status(handle)
            node = calls.tfcarve_session_error_node(handle)
            status = 1 if code == UNIMPLEMENTED else 2
            failure = CallError(code, status, _text(error), _text(node or b""))
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

    @property
    def inputs(self) -> list[TensorInfo]:
        """The inputs of the graph."""
        calls = self._calls
        count: int = calls.tfcarve_session_input_count(self._handle)
        return [self._info(calls.tfcarve_session_input, i) for i in range(count)]

    @property
    def outputs(self) -> list[TensorInfo]:
        """The outputs of the nodes that no other node of the graph uses."""
        calls = self._calls
        count: int = calls.tfcarve_session_output_count(self._handle)
        return [self._info(calls.tfcarve_session_output, i) for i in range(count)]

    def _info(self, function: Any, index: int) -> TensorInfo:
        info = _TensorInfo()
        if function(self._handle, index, ctypes.byref(info)) != 0:
            raise IndexError(index)
        return TensorInfo(
            _text(info.name), info.dtype, None if info.rank < 0 else tuple(info.dims[: info.rank])
        )

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[str]) -> BoundSession:
        """Returns the session with fixed inputs and outputs, valid as long as this session."""
        return BoundSession(self._calls, self._handle, self._prefix, inputs, outputs)


class BoundSession:
    """A session with inputs and outputs in the form of the C interface.

    Attributes:
      inputs: an array of tfcarve_tensor; the inputs of the following runs.
    """

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
        self.inputs = (_Tensor * len(inputs))(
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

    def run(self, **options: Any) -> Result:
        """Runs the graph once, with members of RunOptions; raises CallError if that fails."""
        handle: int = self._calls.tfcarve_session_run(
            self._session,
            self.inputs,
            len(self.inputs),
            self._outputs,
            len(self._outputs),
            RunOptions(**options),
        )
        error = self._calls.tfcarve_result_error(handle)
        if error is not None:
            code = self._calls.tfcarve_result_status(handle)
            node = self._calls.tfcarve_result_error_node(handle)
            status = 2 if code == DATA_LOSS else 1
            message = self._prefix + _text(error)
            self._calls.tfcarve_result_free(handle)
            raise CallError(code, status, message, _text(node or b""))
        return Result(self._calls, handle)

    def run_traced(self) -> Result:
        """Runs the graph once and records each node; raises CallError if that fails."""
        return self.run(trace=1)


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
        """Returns a copy of an output, in the order of the names; raises IndexError if it does not exist."""
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
