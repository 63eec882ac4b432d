"""Debian's Python for ARM with TensorFlow Lite's wheel, to run under qemu.

Nothing is installed: the packages are unpacked into the user's cache, which qemu uses as the root directory.
"""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap.apt import PrivateApt
from bootstrap.cache import built_in_place, cache_root, scratch_folder
from bootstrap.wheels import fetch_wheel
from tfcarve.releases import known

_SUITE = "bookworm"
_PACKAGES = (
    "libblas3",
    "libc6",
    "libexpat1",
    "libffi8",
    "libgcc-s1",
    "libgfortran5",
    "liblapack3",
    "libpython3.11-minimal",
    "libpython3.11-stdlib",
    "libstdc++6",
    "python3-numpy",
    "python3.11-minimal",
    "zlib1g",
)
_LITE_VERSION = f"{known.release().name}.0"
_LITE = f"tflite-runtime=={_LITE_VERSION}"


@dataclass(frozen=True)
class Architecture:
    """Names of a platform.

    Attributes:
      debian: Debian's architecture.
      libraries: the folder in /usr/lib.
      wheel: the platform tag of TensorFlow Lite's wheel.
      sha256: of that wheel.
    """

    debian: str
    libraries: str
    wheel: str
    sha256: str


ARCHITECTURES = {
    "linux_arm64": Architecture(
        "arm64",
        "aarch64-linux-gnu",
        "manylinux_2_34_aarch64",
        "ce9fa5d770a9725c746dcbf6f59f3178233b3759f09982e8b2db8d2234c333b0",
    ),
    "linux_armv7": Architecture(
        "armhf",
        "arm-linux-gnueabihf",
        "manylinux_2_34_armv7l",
        "c4e66a74165b18089c86788400af19fa551768ac782d231a9beae2f6434f7949",
    ),
}


@dataclass(frozen=True)
class ArmPython:
    """An unpacked Python.

    Attributes:
      root: the directory in which qemu looks up absolute paths first.
      libraries: the folder in /usr/lib.
      lite: the folder of TensorFlow Lite's modules.
    """

    root: Path
    libraries: str
    lite: Path

    def command(self, emulator: Sequence[str], arguments: Sequence[str | Path]) -> list[str]:
        """Returns the command that runs Python; `emulator` is qemu with its options except -L and -E."""
        shared = self.root / "usr/lib" / self.libraries
        settings = {
            "LD_LIBRARY_PATH": f"{shared}/blas:{shared}/lapack",
            "PYTHONHOME": f"{self.root}/usr",
            "PYTHONPATH": f"{self.root}/usr/lib/python3/dist-packages:{self.lite}",
        }
        passed = [word for name, value in settings.items() for word in ("-E", f"{name}={value}")]
        python = self.root / "usr/bin/python3.11"
        return [*emulator, "-L", str(self.root), *passed, str(python), *map(str, arguments)]


def unpacked(platform: str) -> ArmPython:
    """Returns the Python for a platform; unpacks it once.

    Raises BootstrapError if the packages or the wheel cannot be downloaded.
    """
    architecture = ARCHITECTURES[platform]
    folder = cache_root() / "python" / architecture.debian
    with built_in_place(folder) as missing:
        if missing:
            _unpack(architecture, folder)
    return ArmPython(folder / "root", architecture.libraries, folder / "lite")


def _unpack(architecture: Architecture, folder: Path) -> None:
    apt = PrivateApt(_SUITE, sources=False, architecture=architecture.debian)
    apt.refresh()
    with scratch_folder(folder) as scratch:
        apt.download_binaries(_PACKAGES, scratch)
        for package in scratch.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, folder / "root"], check=True)
    file = f"tflite_runtime-{_LITE_VERSION}-cp311-cp311-{architecture.wheel}.whl"
    target = [f"--platform={architecture.wheel}", "--python-version=311"]
    wheel = fetch_wheel(_LITE, file, architecture.sha256, target)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "lite")
