"""Configures the C library's heap so that the memory of large constants returns to the system when they are freed.

glibc raises its mmap threshold, up to 32 MB, whenever a mapped block is freed. Then the weights of each transform stay
in its heap. A fixed threshold prevents that. Source: mallopt(3), M_MMAP_THRESHOLD.
"""

import contextlib
import ctypes

_MMAP_THRESHOLD = -3
_MAPPED_FROM = 1 << 18


def release_freed_memory() -> None:
    """Fixes the mmap threshold of this process; does nothing if the C library is not glibc."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _MAPPED_FROM)
