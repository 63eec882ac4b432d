"""Structures of the C interface that begin with their size, so that later versions can add members."""

import ctypes
from typing import Any


class SizedStructure(ctypes.Structure):
    """A structure whose first member is its size, which is set."""

    def __init__(self, **members: Any) -> None:
        super().__init__(ctypes.sizeof(self), **members)
