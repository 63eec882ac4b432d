"""Shows the first items of a list in a message."""

from collections.abc import Sequence

# The most items of a message.
_MOST = 10


def first(items: Sequence[str]) -> str:
    """Returns the first ten items, and the number of the others: "a, b, …, j and 3 more"."""
    more = len(items) - _MOST
    return ", ".join(items[:_MOST]) + (f" and {more} more" if more > 0 else "")
