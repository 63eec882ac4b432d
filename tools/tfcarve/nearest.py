"""Suggests the nearest valid names for an unknown one."""

import difflib
from collections.abc import Iterable, Sequence


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns "; did you mean …?" with the names in `known` that are nearest to `name`, or ""."""
    near = difflib.get_close_matches(name, sorted(known), n=3)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def suggestion(name: str, known: Sequence[str]) -> str:
    """Returns "did you mean …?" as a sentence of its own, with the names in `known` that are nearest to `name`, or ""."""
    near = difflib.get_close_matches(name, known, n=3)
    return f"did you mean {', '.join(near)}?" if near else ""
