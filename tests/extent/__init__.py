"""How many cases a test has: a few in `./bazelw test //...`, all of them in `./bazelw test //tests:full`.

Here: the number of cases that a test has.
Not here: cases.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")

IS_FULL = os.environ.get("TFCARVE_TESTS") == "full"


def of(quick: _T, full: _T) -> _T:
    """Returns the first value in a quick run, the second one in a full run."""
    return full if IS_FULL else quick


def some(cases: Sequence[_T], *quick: _T) -> list[_T]:
    """Returns the cases of this run.

    Args:
      cases: all of them.
      quick: those of a quick run.

    Raises:
      ValueError: one of these is not among all cases.
    """
    unknown = [one for one in quick if one not in cases]
    if unknown:
        raise ValueError(f"no such cases: {unknown}; there are: {list(cases)}")
    return list(cases) if IS_FULL else list(quick)
