"""The C interface (tools/runtime/tfcarve_c_api.h) in ctypes."""

import ctypes
from collections.abc import Mapping
from typing import Any, ClassVar


class String(ctypes.Structure):
    """A tfcarve_string."""

    _fields_: ClassVar = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


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


class TensorInfo(ctypes.Structure):
    """A tfcarve_tensor_info."""

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


_POINTER, _TEXT, _INT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_size_t
_OPTIONS = ctypes.POINTER(SessionOptions)
_RUN = (_POINTER, ctypes.POINTER(Tensor), _SIZE, ctypes.POINTER(_TEXT), _SIZE)
_INFO = (_POINTER, _SIZE, ctypes.POINTER(TensorInfo))
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
    "tfcarve_result_get": (_INT, (_POINTER, _SIZE, ctypes.POINTER(Tensor))),
    "tfcarve_result_trace_count": (_SIZE, (_POINTER,)),
    "tfcarve_result_trace_get": (_INT, (_POINTER, _SIZE, ctypes.POINTER(NodeTrace))),
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
