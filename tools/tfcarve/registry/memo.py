"""What was worked out for each file, kept from one run to the next.

A value is kept with a key that stands for all that it was worked out from. It is taken again where the key is
the same, else worked out anew, so that nothing depends on when or in what order runs were made.
"""

import contextlib
import json
from collections.abc import Callable
from typing import Any, TypeVar

from tfcarve.registry import cache

Value = TypeVar("Value")


class Memo:
    """Values by kind and path; those that were not asked for in this run are not kept for the next."""

    def __init__(self, name: str = "") -> None:
        """Takes over what the run before kept under `name`; without a name nothing is taken over or kept."""
        self._name = name
        self._kept: dict[str, dict[str, list[Any]]] = {}
        self._asked: dict[str, dict[str, list[Any]]] = {}
        self._changed = False
        kept = cache.read("memo", name) if name else None
        if kept is not None:
            with contextlib.suppress(ValueError):  # broken: made again
                self._kept = json.loads(kept)

    def get(self, kind: str, path: str, key: str, make: Callable[[], Value]) -> Value:
        """Returns the value of a `kind` for a file.

        Args:
          kind: what sort of value.
          path: the file; empty where it is of all files.
          key: stands for all that `make` looks at.
          make: works the value out: of JSON's types, lists not tuples, keys that are strings.
        """
        row = self._kept.get(kind, {}).get(path)
        if row is None or row[0] != key:
            row = [key, make()]
            self._changed = True
        self._asked.setdefault(kind, {})[path] = row
        value: Value = row[1]
        return value

    def save(self) -> None:
        """Keeps what was asked for, for the next run."""
        if self._changed and self._name:
            cache.write("memo", self._name, json.dumps(self._asked, separators=(",", ":")).encode())
