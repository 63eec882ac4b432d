"""The outputs of a run in a carved library, and the executions of its nodes."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from tfcarve.client import c_interface
from tfcarve.client.arrays import Array, Shape
from tfcarve.client.calls import text


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
        tensor = c_interface.Tensor()
        if self._calls.tfcarve_result_get(self._handle, index, ctypes.byref(tensor)) != 0:
            raise IndexError(index)
        data = ctypes.string_at(tensor.data, tensor.size) if tensor.size else b""
        return Array(tensor.dtype, _dims(tensor), data)

    def trace(self) -> list[NodeRun]:
        """Returns the executions of nodes that a traced run recorded, by their start."""
        runs = []
        for index in range(self._calls.tfcarve_result_trace_count(self._handle)):
            trace = c_interface.NodeTrace()
            self._calls.tfcarve_result_trace_get(self._handle, index, ctypes.byref(trace))
            runs.append(_node_run(trace))
        return sorted(runs, key=lambda run: run.start_ns)


def _dims(tensor: c_interface.Tensor) -> Shape:
    return tuple(tensor.dims[: tensor.rank]) if tensor.rank else ()


def _node_run(trace: c_interface.NodeTrace) -> NodeRun:
    outputs = (trace.outputs[i] for i in range(trace.output_count))
    return NodeRun(
        text(trace.node),
        text(trace.op),
        text(trace.inputs),
        trace.start_ns,
        trace.duration_ns,
        trace.allocated_bytes,
        tuple((output.dtype, _dims(output)) for output in outputs),
    )
