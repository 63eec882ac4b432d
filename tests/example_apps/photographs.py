"""Photographs that a package contains."""

from __future__ import annotations

from pathlib import Path

from public.packages import Package

_PACKAGE = Package(
    "scikit-image==0.26.0",
    "scikit_image-0.26.0-cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl",
    "74aa5518ccea28121f57a95374581d3b979839adc25bb03f289b1bc9b99c58af",
)


def photograph(name: str) -> Path:
    """Returns a photograph by its file name."""
    return _PACKAGE.folder() / "skimage/data" / name
