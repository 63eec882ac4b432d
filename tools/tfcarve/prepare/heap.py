"""The C library's heap: what large constants took is given back when they go.

glibc raises the size from which it maps memory with each mapped block that is freed, up to 32 MB; then the weights of
one transform after the other stay in its heap. A fixed size stops that. Source: mallopt(3), M_MMAP_THRESHOLD.
"""

import contextlib
import ctypes

_MMAP_THRESHOLD = -3
_MAPPED_FROM = 1 << 18


def give_back_freed_memory() -> None:
    """Makes this process map large blocks always; does nothing where the C library is not glibc."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _MAPPED_FROM)
