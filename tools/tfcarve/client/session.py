"""A graph in a carved library: what it declares, and its runs."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfcarve.client import c_interface
from tfcarve.client.arrays import Array, Shape
from tfcarve.client.c_interface import Status
from tfcarve.client.call_error import CallError
from tfcarve.client.calls import declared, text
from tfcarve.client.result import Result


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """The type and shape that a graph states for a tensor; `dtype` 0 and `dims` None if it states none; size -1 is any size."""

    name: str
    dtype: int
    dims: Shape | None


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
            status = 1 if code == Status.UNIMPLEMENTED else 2
            failure = CallError(code, status, text(error), text(node or b""))
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
        return self._infos(calls.tfcarve_session_input_count, calls.tfcarve_session_input)

    @property
    def outputs(self) -> list[TensorInfo]:
        """The outputs of the nodes that no other node of the graph uses."""
        calls = self._calls
        return self._infos(calls.tfcarve_session_output_count, calls.tfcarve_session_output)

    def _infos(self, count: Any, get: Any) -> list[TensorInfo]:
        return [TensorInfo(*found) for found in declared(count, get, self._handle)]

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
        self.inputs = (c_interface.Tensor * len(inputs))(
            *(
                c_interface.Tensor(
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
        self._outputs = (ctypes.c_char_p * len(outputs))(*(name.encode() for name in outputs))

    def run(self, **options: Any) -> Result:
        """Runs the graph once, with members of RunOptions; raises CallError if that fails."""
        handle: int = self._calls.tfcarve_session_run(
            self._session,
            self.inputs,
            len(self.inputs),
            self._outputs,
            len(self._outputs),
            c_interface.RunOptions(**options),
        )
        error = self._calls.tfcarve_result_error(handle)
        if error is not None:
            code = self._calls.tfcarve_result_status(handle)
            node = self._calls.tfcarve_result_error_node(handle)
            status = 2 if code == Status.DATA_LOSS else 1
            message = self._prefix + text(error)
            self._calls.tfcarve_result_free(handle)
            raise CallError(code, status, message, text(node or b""))
        return Result(self._calls, handle)

    def run_traced(self) -> Result:
        """Runs the graph once and records each node; raises CallError if that fails."""
        return self.run(trace=1)
