"""Suggests the nearest valid names for an unknown one."""

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns "; did you mean …?" with the names in `known` that are nearest to `name`, or ""."""
    near = difflib.get_close_matches(name, sorted(known), n=3)
    return f"; did you mean {' or '.join(near)}?" if near else ""
