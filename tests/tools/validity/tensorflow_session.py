"""What TensorFlow's session says of a graph: whether it loads it, and creates the kernels of all nodes.

The session is called through the C API, without importing the graph in Python: a carved library does the same.
"""

from __future__ import annotations

import ctypes
import faulthandler
import importlib.util
import os
import signal
import tempfile
from collections.abc import Iterable
from functools import cache
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import tensorflow  # noqa: F401, loads the library
from tensorflow.core.protobuf import config_pb2

_MAX_SECONDS = 10
_POINTER, _TEXT, _INT = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "TF_NewStatus": (_POINTER, ()),
    "TF_DeleteStatus": (None, (_POINTER,)),
    "TF_GetCode": (_INT, (_POINTER,)),
    "TF_Message": (_TEXT, (_POINTER,)),
    "TF_NewSessionOptions": (_POINTER, ()),
    "TF_DeleteSessionOptions": (None, (_POINTER,)),
    "TF_SetConfig": (None, (_POINTER, _TEXT, ctypes.c_size_t, _POINTER)),
    "TF_NewDeprecatedSession": (_POINTER, (_POINTER, _POINTER)),
    "TF_DeleteDeprecatedSession": (None, (_POINTER, _POINTER)),
    "TF_ExtendGraph": (None, (_POINTER, _TEXT, ctypes.c_size_t, _POINTER)),
    "TF_PRunSetup": (
        None,
        (
            *(_POINTER, _POINTER, _INT, _POINTER, _INT),
            *(ctypes.POINTER(_TEXT), _INT, ctypes.POINTER(_POINTER), _POINTER),
        ),
    ),
    "TF_Run": (
        None,
        (
            *(_POINTER, _POINTER, _POINTER, _POINTER, _INT, _POINTER, _POINTER, _INT),
            *(ctypes.POINTER(_TEXT), _INT, _POINTER, _POINTER),
        ),
    ),
}


@cache
def _library() -> Any:
    found = importlib.util.find_spec("tensorflow")
    assert found and found.origin
    library = ctypes.CDLL(str(Path(found.origin).parent / "libtensorflow_cc.so.2"))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


@cache
def _config() -> bytes:
    # A mobile build has no grappler, which may change a graph before it is checked.
    config = config_pb2.ConfigProto(allow_soft_placement=True, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return bytes(config.SerializeToString())


def _answer(connection: Connection, graph: bytes, nodes: Iterable[str], run: bool) -> None:
    """Sends why a session refuses a graph before the session ends: it may run an endless loop."""
    api = _library()
    status, options = api.TF_NewStatus(), api.TF_NewSessionOptions()
    api.TF_SetConfig(options, _config(), len(_config()), status)
    session = api.TF_NewDeprecatedSession(options, status)
    try:
        api.TF_ExtendGraph(session, graph, len(graph), status)
        if not api.TF_GetCode(status):
            names = [name.encode() for name in nodes]
            targets, handle = (_TEXT * len(names))(*names), _POINTER()
            api.TF_PRunSetup(
                *(session, None, 0, None, 0, targets, len(names)), ctypes.byref(handle), status
            )
            if run and not api.TF_GetCode(status):
                no_tensors = (None, None, 0)
                api.TF_Run(
                    *(session, None, *no_tensors, *no_tensors), targets, len(names), None, status
                )
        message = api.TF_Message(status).decode(errors="replace")
        connection.send(message if api.TF_GetCode(status) else "")
    finally:
        api.TF_DeleteDeprecatedSession(session, api.TF_NewStatus())
        api.TF_DeleteSessionOptions(options)
        api.TF_DeleteStatus(status)


class Sessions:
    """Sessions in a child process, because TensorFlow aborts for some graphs.

    The child is forked from this process, which has loaded TensorFlow and creates no sessions itself.
    """

    def __init__(self) -> None:
        self._connection: Connection | None = None
        self._child = 0
        self._folder = tempfile.TemporaryDirectory()

    def refusal(self, graph: bytes, nodes: Iterable[str], run: bool = False) -> str:
        """Returns why a session refuses a graph, or "".

        Args:
          graph: a serialized GraphDef.
          nodes: the names of its nodes; the session creates their kernels.
          run: also run the nodes: only this creates the kernels of functions.
        """
        names = list(nodes)
        for _ in range(2):
            if self._connection is None:
                self._start()
            assert self._connection
            try:
                self._connection.send((graph, names, run))
                if self._connection.poll(_MAX_SECONDS):
                    return str(self._connection.recv())
            except (EOFError, ConnectionError):
                self.close()
                return "TensorFlow aborts"
            self.close()  # the previous graph still runs
        return "TensorFlow does not end"

    def _start(self) -> None:
        self._connection, other = Pipe()
        self._child = os.fork()
        if self._child:
            other.close()
            return
        try:
            self._connection.close()
            os.chdir(self._folder.name)  # a graph may save its variables
            faulthandler.disable()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # messages of an abort
            while True:
                _answer(other, *other.recv())
        finally:
            os._exit(1)

    def close(self) -> None:
        """Ends the child process."""
        if self._connection:
            self._connection.close()
            self._connection = None
            os.kill(self._child, signal.SIGKILL)
            os.waitpid(self._child, 0)
