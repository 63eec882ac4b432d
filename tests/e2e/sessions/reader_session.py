"""Sessions of models that a Python function reads: tfcarve_session_new_from_reader."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from tfcarve.client.c_interface import Reader, SessionOptions
from tfcarve.client.library import Library
from tfcarve.client.session import Session

# Returns the `size` bytes at `offset`.
Read = Callable[[int, int], bytes]

_READ = dict(Reader._fields_)["read"]


class CannotRead(Exception):
    """What a Read raises; the message becomes that of the session."""


def opened(library: Library, size: int, read: Read, threads: int = 1) -> Session:
    """Creates a session for a model of `size` bytes; raises CallError if that fails."""
    failures: list[Any] = []

    def called(context: int, offset: int, buffer: int, count: int) -> int | None:
        assert context == id(failures)
        try:
            data = read(offset, count)
        except CannotRead as error:
            failures.append(ctypes.create_string_buffer(str(error).encode()))
            return ctypes.addressof(failures[-1])
        ctypes.memmove(buffer, data, count)
        return None

    session = of(library, Reader(id(failures), size, _READ(called)), threads)
    for text in failures:
        ctypes.memset(text, 0, len(text))
    return session


def of(library: Library, reader: Reader | None, threads: int = 1) -> Session:
    """Creates a session for a reader; raises CallError if that fails."""
    pointer = None if reader is None else ctypes.byref(reader)
    options = SessionOptions(threads=threads)
    handle = library.calls.tfcarve_session_new_from_reader(pointer, options)
    return Session(library.calls, handle, "")
