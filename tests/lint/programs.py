"""buildifier and clang-format: pinned packages from npm and PyPI, unpacked once into the user's cache."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bootstrap import npm
from bootstrap.cache import built_in_place, cache_root
from bootstrap.checksum import require_sha256
from bootstrap.unpack import unpack
from bootstrap.wheels import fetch_wheel

BUILDIFIER = "@bazel/buildifier@8.2.1"
_BUILDIFIER_FILE = "bazel-buildifier-8.2.1.tgz"
_BUILDIFIER_SHA256 = "b96ea9b13003036c801f52bee6f9b0314738f8432e5cb9d814c89f59292604ee"

CLANG_FORMAT = "clang-format==23.1.5"


@dataclass(frozen=True)
class _Wheel:
    """A wheel of CLANG_FORMAT for one kind of machine."""

    file: str
    sha256: str


_WHEELS = {
    "x86_64": _Wheel(
        "clang_format-23.1.5-py2.py3-none-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
        "d97ce49911ba8c89ef3f3c0735a9c7818e4780ab4812c67d1c5fcd829d16ae52",
    ),
}


def buildifier() -> Path:
    """Returns buildifier for this machine.

    Raises:
        BootstrapError: npm is missing or could not get the package.
    """
    machine = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    name = f"buildifier-linux_{machine}"

    def fill(folder: Path) -> None:
        archive = npm.pack(BUILDIFIER, _BUILDIFIER_FILE, folder)
        require_sha256(archive, _BUILDIFIER_SHA256)
        unpack(archive, folder, "package", [name])
        archive.unlink()

    return _unpacked(BUILDIFIER, fill) / name


def clang_format() -> Path | None:
    """Returns clang-format, or None if no wheel is pinned for this machine.

    Raises:
        BootstrapError: pip could not get the wheel.
    """
    wheel = _WHEELS.get(platform.machine())
    if wheel is None:
        return None

    def fill(folder: Path) -> None:
        archive = fetch_wheel(CLANG_FORMAT, wheel.file, wheel.sha256)
        unpack(archive, folder, "clang_format/data/bin")

    return _unpacked(CLANG_FORMAT, fill) / "clang-format"


def _unpacked(package: str, fill: Callable[[Path], None]) -> Path:
    """Returns the package's folder in the cache, which `fill` fills the first time."""
    folder = cache_root() / "lint" / package.replace("/", "_")
    with built_in_place(folder) as missing:
        if missing:
            fill(folder)
    return folder
