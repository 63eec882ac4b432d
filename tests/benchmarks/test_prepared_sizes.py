"""The table of libraries for prepared models."""

from __future__ import annotations

from benchmarks.preparation import prepared_sizes
from benchmarks.preparation.prepared_sizes import PLATFORMS, WAYS, Size


def test_sizes_are_compared_with_the_frozen_models() -> None:
    sizes = [
        Size("net", way, platform, stripped)
        for platform, row in zip(PLATFORMS, ((1000, 900, 1050), (2000, 2000, 1001)), strict=True)
        for way, stripped in zip(WAYS, row, strict=True)
    ]
    assert prepared_sizes.table(sizes).splitlines()[2:] == [
        "| net | frozen graph | 1,000 | 2,000 |",
        "| net | `mobile` | 900 (-10.0%) | 2,000 (+0.0%) |",
        "| net | `mobile`, `--fuse` | 1,050 (+5.0%) | 1,001 (-50.0%) |",
    ]
    assert "Measured on" in prepared_sizes.text("a machine", sizes)
