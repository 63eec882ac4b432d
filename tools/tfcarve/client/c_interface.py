"""The C interface of a library in ctypes: made from its header by `PYTHONPATH=tests python -m c_interface.update`."""

import ctypes
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from tfcarve.client.sized_structure import SizedStructure

# fmt: off
API_VERSION = 100


class Dtype(IntEnum):
    """A tfcarve_dtype."""

    FLOAT = 1
    DOUBLE = 2
    INT32 = 3
    UINT8 = 4
    INT16 = 5
    INT8 = 6
    STRING = 7
    COMPLEX64 = 8
    INT64 = 9
    BOOL = 10
    BFLOAT16 = 14
    UINT16 = 17
    COMPLEX128 = 18
    HALF = 19
    UINT32 = 22
    UINT64 = 23


class Status(IntEnum):
    """A tfcarve_status."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class String(ctypes.Structure):
    """A tfcarve_string."""

    _fields_: ClassVar = [
        ("data", ctypes.c_char_p),
        ("size", ctypes.c_size_t),
    ]


class Tensor(ctypes.Structure):
    """A tfcarve_tensor."""

    _fields_: ClassVar = [
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
    ]


class SessionOptions(SizedStructure):
    """A tfcarve_session_options."""

    _fields_: ClassVar = [
        ("struct_size", ctypes.c_size_t),
        ("threads", ctypes.c_int32),
        ("shared_threads", ctypes.c_void_p),
        ("memory_limit", ctypes.c_size_t),
    ]


class Reader(ctypes.Structure):
    """A tfcarve_reader."""

    _fields_: ClassVar = [
        ("context", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("read", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t)),
    ]


class TensorInfo(ctypes.Structure):
    """A tfcarve_tensor_info."""

    _fields_: ClassVar = [
        ("name", ctypes.c_char_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class Buffer(ctypes.Structure):
    """A tfcarve_buffer."""

    _fields_: ClassVar = [
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
    ]


class RunOptions(SizedStructure):
    """A tfcarve_run_options."""

    _fields_: ClassVar = [
        ("struct_size", ctypes.c_size_t),
        ("timeout_ms", ctypes.c_int64),
        ("cancellation", ctypes.c_void_p),
        ("trace", ctypes.c_int32),
        ("output_buffers", ctypes.POINTER(Buffer)),
    ]


class NodeTrace(ctypes.Structure):
    """A tfcarve_node_trace."""

    _fields_: ClassVar = [
        ("node", ctypes.c_char_p),
        ("op", ctypes.c_char_p),
        ("inputs", ctypes.c_char_p),
        ("start_ns", ctypes.c_int64),
        ("duration_ns", ctypes.c_int64),
        ("allocated_bytes", ctypes.c_int64),
        ("output_count", ctypes.c_size_t),
        ("outputs", ctypes.POINTER(Tensor)),
    ]


LogSink = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p)

# The types of the result and of the arguments of each function.
FUNCTIONS: Mapping[str, tuple[Any, tuple[Any, ...]]] = {
    "tfcarve_api_version": (ctypes.c_int32, ()),
    "tfcarve_status_name": (ctypes.c_char_p, (ctypes.c_int32,)),
    "tfcarve_threads_new": (ctypes.c_void_p, (ctypes.c_int32,)),
    "tfcarve_threads_free": (None, (ctypes.c_void_p,)),
    "tfcarve_session_new": (ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(SessionOptions))),
    "tfcarve_session_new_from_file": (ctypes.c_void_p, (ctypes.c_char_p, ctypes.POINTER(SessionOptions))),
    "tfcarve_session_new_from_reader": (ctypes.c_void_p, (ctypes.POINTER(Reader), ctypes.POINTER(SessionOptions))),
    "tfcarve_session_mapped_bytes": (ctypes.c_size_t, (ctypes.c_void_p,)),
    "tfcarve_session_error": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "tfcarve_session_status": (ctypes.c_int32, (ctypes.c_void_p,)),
    "tfcarve_session_error_node": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "tfcarve_session_input_count": (ctypes.c_size_t, (ctypes.c_void_p,)),
    "tfcarve_session_input": (ctypes.c_int32, (ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(TensorInfo))),
    "tfcarve_session_output_count": (ctypes.c_size_t, (ctypes.c_void_p,)),
    "tfcarve_session_output": (ctypes.c_int32, (ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(TensorInfo))),
    "tfcarve_session_free": (None, (ctypes.c_void_p,)),
    "tfcarve_cancellation_new": (ctypes.c_void_p, ()),
    "tfcarve_cancel": (None, (ctypes.c_void_p,)),
    "tfcarve_cancellation_free": (None, (ctypes.c_void_p,)),
    "tfcarve_session_run": (ctypes.c_void_p, (ctypes.c_void_p, ctypes.POINTER(Tensor), ctypes.c_size_t, ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t, ctypes.POINTER(RunOptions))),
    "tfcarve_result_error": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "tfcarve_result_status": (ctypes.c_int32, (ctypes.c_void_p,)),
    "tfcarve_result_error_node": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "tfcarve_result_count": (ctypes.c_size_t, (ctypes.c_void_p,)),
    "tfcarve_result_get": (ctypes.c_int32, (ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Tensor))),
    "tfcarve_result_trace_count": (ctypes.c_size_t, (ctypes.c_void_p,)),
    "tfcarve_result_trace_get": (ctypes.c_int32, (ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(NodeTrace))),
    "tfcarve_result_free": (None, (ctypes.c_void_p,)),
    "tfcarve_manifest": (ctypes.c_char_p, ()),
    "tfcarve_registrations": (ctypes.c_char_p, (ctypes.POINTER(ctypes.c_size_t),)),
    "tfcarve_cpu": (ctypes.c_char_p, ()),
    "tfcarve_set_cpu": (ctypes.c_int32, (ctypes.c_char_p,)),
    "tfcarve_set_log": (ctypes.c_int32, (LogSink, ctypes.c_void_p, ctypes.c_int32)),
    "tfcarve_kernel_count": (ctypes.c_size_t, ()),
    "tfcarve_has_op": (ctypes.c_int32, (ctypes.c_char_p,)),
}
