"""A carved shared library that this process loads."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

from tfcarve.client.c_interface import SessionOptions, Status
from tfcarve.client.call_error import CallError
from tfcarve.client.calls import loaded, text
from tfcarve.client.session import Session


class Library:
    """A loaded library; it stays loaded until the process ends."""

    def __init__(self, path: str | Path) -> None:
        """Loads it; raises CallError if it cannot be loaded or does not have the C interface."""
        try:
            self._calls = loaded(str(path))
        except (OSError, AttributeError) as error:
            message = f"{path}: cannot be used: {error}"
            raise CallError(Status.INVALID_ARGUMENT, 2, message) from None

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
        return text(self._calls.tfcarve_cpu())

    def set_cpu(self, name: str | None) -> bool:
        """Chooses an instruction set, "" for the best one; returns whether the library and the CPU have it."""
        chosen = None if name is None else name.encode()
        return bool(self._calls.tfcarve_set_cpu(chosen) == 0)
