"""The instruction sets that this machine's CPU supports, according to the kernel: not to the library under test."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

# The library's names for x86-64, from the slowest to the fastest, to the flags of /proc/cpuinfo that they require.
REQUIRED: Mapping[str, frozenset[str]] = {
    "baseline": frozenset(),
    "avx2": frozenset({"avx2", "fma"}),
    "avx512": frozenset({"avx512f"}),
}


def supported(required: Mapping[str, frozenset[str]] = REQUIRED) -> tuple[str, ...]:
    """Returns the names of instruction sets that this CPU supports, in the order of `required`."""
    cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    flags = re.search(r"^flags\s*: (.*)$", cpuinfo, re.MULTILINE)
    assert flags is not None, "/proc/cpuinfo has no flags"
    return tuple(name for name, needs in required.items() if needs <= set(flags[1].split()))
