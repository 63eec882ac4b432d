"""Values computed for each file, cached from one run to the next.

A value is stored with a key that covers everything that it was computed from. It is used again if the key has not changed,
and computed again otherwise, so the result does not depend on the order of runs.
"""

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from tfcarve.registry import cache

Value = TypeVar("Value")
_Rows = dict[str, dict[str, tuple[str, Any]]]


class Memo:
    """Values by kind and path. Values that a run does not request are not stored for the next one."""

    def __init__(self, name: str = "") -> None:
        """Loads the values that the previous run stored under `name`; an empty name loads and stores nothing."""
        self._name = name
        self._loaded: _Rows = {}
        self._requested: _Rows = {}
        self._changed = False
        data = cache.read("memo", name) if name else None
        if data is not None:
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):  # damaged
                self._loaded = msgspec.json.decode(data, type=_Rows)

    def get(self, kind: str, path: str, key: str, compute: Callable[[], Value]) -> Value:
        """Returns a value for a file.

        Args:
          kind: the kind of value.
          path: the file; empty for a value of all files.
          key: covers everything that `compute` reads.
          compute: returns the value: JSON types only, lists instead of tuples, string keys.
        """
        row = self._loaded.get(kind, {}).get(path)
        if row is None or row[0] != key:
            row = (key, compute())
            self._changed = True
        self._requested.setdefault(kind, {})[path] = row
        value: Value = row[1]
        return value

    def save(self) -> None:
        """Stores the requested values for the next run."""
        if self._changed and self._name:
            cache.write("memo", self._name, msgspec.json.encode(self._requested))
