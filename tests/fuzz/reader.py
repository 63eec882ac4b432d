"""A reader of untrusted input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType


@dataclass(frozen=True)
class Reader:
    """A reader of untrusted input.

    Attributes:
      modules: the modules that it consists of.
      call: reads an input.
      error: what it raises for invalid input.
      seeds: valid inputs.
      spare: the bytes of memory that it may use in addition to ten times its input's size.
      start: starts what the reader uses, such as a process; its time does not count.
    """

    modules: Sequence[ModuleType]
    call: Callable[[bytes], object]
    error: type[Exception]
    seeds: Sequence[bytes]
    spare: int = 5_000_000
    start: Callable[[], object] = lambda: None


def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    """Returns a function that decodes its input and calls `read`."""
    return lambda data: read(data.decode(errors="replace"))
