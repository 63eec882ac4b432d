"""A carved shared library, called through its C interface (tools/runtime/tfcarve_c_api.h)."""

import ctypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tfcarve.benchmark.arrays import Array
from tfcarve.benchmark.measured import Shape


class _Tensor(ctypes.Structure):
    _fields_: ClassVar = [
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_char_p),
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
    "tfcarve_session_new_from_file": (_POINTER, (_TEXT, _INT)),
    "tfcarve_session_error": (_TEXT, (_POINTER,)),
    "tfcarve_session_status": (_INT, (_POINTER,)),
    "tfcarve_session_run": (_POINTER, _RUN),
    "tfcarve_session_run_traced": (_POINTER, _RUN),
    "tfcarve_result_error": (_TEXT, (_POINTER,)),
    "tfcarve_result_status": (_INT, (_POINTER,)),
    "tfcarve_result_trace_count": (_SIZE, (_POINTER,)),
    "tfcarve_result_trace_get": (_INT, (_POINTER, _SIZE, ctypes.POINTER(_NodeTrace))),
    "tfcarve_result_free": (None, (_POINTER,)),
}


class Refused(Exception):
    """The library can't do it: its tfcarve_status and its message."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class NodeRun:
    """An execution of a node in a traced run; of each output its data type's number and shape."""

    node: str
    op: str
    inputs: str
    start_ns: int
    duration_ns: int
    allocated_bytes: int
    outputs: tuple[tuple[int, Shape], ...]


class Library:
    """An open library; it stays open until the process ends."""

    def __init__(self, path: str) -> None:
        """Opens it; raises Refused where it can't be loaded, or is no library of tfcarve's that can trace."""
        try:
            self._library = ctypes.CDLL(path)
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(self._library, name)
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError) as error:
            raise Refused(2, f"{path}: cannot be used: {error}") from None

    def session(self, model: str, threads: int) -> "Session":
        """Makes a session of a file with a serialized GraphDef; raises Refused where it can't be used."""
        made = self._library.tfcarve_session_new_from_file(os.fsencode(model), threads)
        error = self._library.tfcarve_session_error(made)
        if error is not None:
            raise Refused(self._library.tfcarve_session_status(made), _text(error))
        return Session(self._library, made, model)


class Session:
    """A graph that is ready to run."""

    def __init__(self, library: ctypes.CDLL, handle: int, model: str) -> None:
        self._library = library
        self._handle = handle
        self._model = model

    def bind(self, inputs: Mapping[str, Array], outputs: Sequence[str]) -> "Bound":
        """Returns the session with what it is fed and asked for."""
        return Bound(self._library, self._handle, self._model, inputs, outputs)


class Bound:
    """A session with inputs and outputs in the form of the C interface."""

    def __init__(
        self,
        library: ctypes.CDLL,
        session: int,
        model: str,
        inputs: Mapping[str, Array],
        outputs: Sequence[str],
    ) -> None:
        self._library = library
        self._session = session
        self._model = model
        self._inputs = (_Tensor * len(inputs))(
            *(
                _Tensor(
                    name.encode(),
                    array.dtype,
                    len(array.dims),
                    (ctypes.c_int64 * len(array.dims))(*array.dims),
                    array.data,
                    len(array.data),
                )
                for name, array in inputs.items()
            )
        )
        self._outputs = (_TEXT * len(outputs))(*(name.encode() for name in outputs))

    def run(self) -> None:
        """Runs it once; raises Refused where that fails."""
        self._free(self._result(self._library.tfcarve_session_run))

    def run_traced(self) -> list[NodeRun]:
        """Runs it once; returns all executions of nodes by their start. Raises Refused where that fails."""
        result = self._result(self._library.tfcarve_session_run_traced)
        runs = []
        for index in range(self._library.tfcarve_result_trace_count(result)):
            trace = _NodeTrace()
            self._library.tfcarve_result_trace_get(result, index, ctypes.byref(trace))
            runs.append(_node_run(trace))
        self._free(result)
        return sorted(runs, key=lambda run: run.start_ns)

    def _result(self, function: Any) -> int:
        result: int = function(
            self._session, self._inputs, len(self._inputs), self._outputs, len(self._outputs)
        )
        error = self._library.tfcarve_result_error(result)
        if error is not None:
            message = f"{self._model}: {_text(error)}"
            refused = Refused(self._library.tfcarve_result_status(result), message)
            self._free(result)
            raise refused
        return result

    def _free(self, result: int) -> None:
        self._library.tfcarve_result_free(result)


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _node_run(trace: _NodeTrace) -> NodeRun:
    outputs = (trace.outputs[i] for i in range(trace.output_count))
    return NodeRun(
        _text(trace.node),
        _text(trace.op),
        _text(trace.inputs),
        trace.start_ns,
        trace.duration_ns,
        trace.allocated_bytes,
        tuple((o.dtype, tuple(o.dims[: o.rank]) if o.rank else ()) for o in outputs),
    )
