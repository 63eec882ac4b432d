"""The functions of a carved library's C interface, and the declarations of a session, as Python values."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from tfcarve.client import c_interface


def loaded(path: str) -> ctypes.CDLL:
    """Loads a library, which stays loaded until the process ends.

    Raises:
      OSError: it cannot be loaded, or has another version of the C interface.
      AttributeError: it does not have the C interface.
    """
    calls = ctypes.CDLL(path)
    for name, (result, arguments) in c_interface.FUNCTIONS.items():
        function = getattr(calls, name)
        function.restype, function.argtypes = result, arguments
    version: int = calls.tfcarve_api_version()
    if version // 100 != c_interface.API_VERSION // 100 or version < c_interface.API_VERSION:
        raise OSError(f"it has version {version} of the C interface, not {c_interface.API_VERSION}")
    return calls


def declared(
    count: Any, get: Any, session: int
) -> Iterator[tuple[str, int, tuple[int, ...] | None]]:
    """Yields the name, the type and the shape of each input or output that a session declares.

    Args:
      count: the function that counts them.
      get: the function that returns one.
      session: the session.
    """
    for index in range(count(session)):
        info = c_interface.TensorInfo()
        if get(session, index, ctypes.byref(info)) != 0:
            raise IndexError(index)
        dims = None if info.rank < 0 else tuple(info.dims[: info.rank])
        yield text(info.name), info.dtype, dims


def text(raw: bytes | None) -> str:
    """Returns a text of the C interface; "" if there is none."""
    return (raw or b"").decode(errors="replace")
