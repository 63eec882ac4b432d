"""Search for the span that contains an address."""

import bisect
from collections.abc import Sequence


class Addresses:
    """Spans of addresses that do not overlap.

    Args:
      spans: (address, size) of each span.
    """

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._sorted = sorted((a, a + s, i) for i, (a, s) in enumerate(spans) if s)
        self._starts = [start for start, _, _ in self._sorted]

    def at(self, address: int) -> int | None:
        """Returns the index of the span that contains `address`, or None."""
        found = bisect.bisect_right(self._starts, address) - 1
        if found >= 0 and address < self._sorted[found][1]:
            return self._sorted[found][2]
        return None
