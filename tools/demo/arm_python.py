"""Debian's Python for ARM with wheels of TensorFlow Lite's interpreters, to run under qemu.

Nothing is installed: the packages are unpacked into the user's cache, which qemu uses as the root directory.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap.apt import PrivateApt
from bootstrap.cache import built_in_place, cache_root, scratch_folder
from bootstrap.wheels import fetch_wheel
from tfcarve.releases import known

_SUITE = "bookworm"
# TensorFlow Lite of the release.
_LITE_VERSION = f"{known.release().name}.0"
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
# qemu before 8.2 shows a program this machine's /proc/cpuinfo. The interpreter of ai-edge-litert crashes if that has no Arm CPU, or
# fewer than there are. These are qemu's default CPU, as later versions describe it, more often than machines have it.
_CPU = """\
processor\t: {number}
Features\t: fp asimd
CPU implementer\t: 0x00
CPU architecture: 8
CPU variant\t: 0x0
CPU part\t: 0x051
CPU revision\t: 0

"""
_CPUS = 1024


@dataclass(frozen=True)
class Wheel:
    """A wheel for Python 3.11, with the version and one of the checksums of third_party/python/dev.txt.

    Attributes:
      requirement: "name==version".
      file: its file name.
      sha256: its checksum.
    """

    requirement: str
    file: str
    sha256: str

    def fetch(self) -> Path:
        """Downloads it unless it is cached; raises BootstrapError."""
        platform = self.file.removesuffix(".whl").rsplit("-", 1)[1]
        target = [f"--platform={platform}", "--python-version=311"]
        return fetch_wheel(self.requirement, self.file, self.sha256, target)


@dataclass(frozen=True)
class Architecture:
    """Names of a platform.

    Attributes:
      debian: Debian's architecture.
      libraries: the folder in /usr/lib.
      wheels: the interpreters for it, and what they import besides numpy.
    """

    debian: str
    libraries: str
    wheels: tuple[Wheel, ...]


ARCHITECTURES = {
    "linux_arm64": Architecture(
        "arm64",
        "aarch64-linux-gnu",
        (
            Wheel(
                f"tflite-runtime=={_LITE_VERSION}",
                f"tflite_runtime-{_LITE_VERSION}-cp311-cp311-manylinux_2_34_aarch64.whl",
                "ce9fa5d770a9725c746dcbf6f59f3178233b3759f09982e8b2db8d2234c333b0",
            ),
            # Its interpreter imports none of the packages that it depends on, except numpy.
            Wheel(
                "ai-edge-litert==2.3.0",
                "ai_edge_litert-2.3.0-cp311-cp311-manylinux_2_27_aarch64.whl",
                "853fc608f96da87bd5f3458465dfb9abbf18d5ae6b94eceacead407146f175ae",
            ),
        ),
    ),
    "linux_armv7": Architecture(
        "armhf",
        "arm-linux-gnueabihf",
        (
            Wheel(
                f"tflite-runtime=={_LITE_VERSION}",
                f"tflite_runtime-{_LITE_VERSION}-cp311-cp311-manylinux_2_34_armv7l.whl",
                "c4e66a74165b18089c86788400af19fa551768ac782d231a9beae2f6434f7949",
            ),
        ),
    ),
}


@dataclass(frozen=True)
class ArmPython:
    """An unpacked Python.

    Attributes:
      root: the directory in which qemu looks up absolute paths first.
      libraries: the folder in /usr/lib.
      modules: the folder of the wheels' modules.
    """

    root: Path
    libraries: str
    modules: Path

    def command(self, emulator: Sequence[str], arguments: Sequence[str | Path]) -> list[str]:
        """Returns the command that runs Python; `emulator` is qemu with its options except -L and -E."""
        shared = self.root / "usr/lib" / self.libraries
        settings = {
            "LD_LIBRARY_PATH": f"{shared}/blas:{shared}/lapack",
            # All runs find the same files, so their instructions can be compared.
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHOME": f"{self.root}/usr",
            "PYTHONPATH": f"{self.root}/usr/lib/python3/dist-packages:{self.modules}",
        }
        passed = [word for name, value in settings.items() for word in ("-E", f"{name}={value}")]
        python = self.root / "usr/bin/python3.11"
        return [*emulator, "-L", str(self.root), *passed, str(python), *map(str, arguments)]


def without_root(qemu: Sequence[str]) -> list[str]:
    """Returns the command of an emulator without -L, the option for the root directory."""
    at = qemu.index("-L")
    return [*qemu[:at], *qemu[at + 2 :]]


def unpacked(platform: str) -> ArmPython:
    """Returns the Python for a platform; unpacks it once.

    Raises BootstrapError if the packages or a wheel cannot be downloaded.
    """
    architecture = ARCHITECTURES[platform]
    contents = repr((_SUITE, _PACKAGES, _CPU, _CPUS, architecture)).encode()
    key = hashlib.sha256(contents).hexdigest()[:8]
    folder = cache_root() / "python" / f"{architecture.debian}-{key}"
    python = ArmPython(folder / "root", architecture.libraries, folder / "modules")
    with built_in_place(folder) as missing:
        if missing:
            _unpack(architecture, python)
    return python


def _unpack(architecture: Architecture, python: ArmPython) -> None:
    apt = PrivateApt(_SUITE, sources=False, architecture=architecture.debian)
    apt.refresh()
    with scratch_folder(python.root) as scratch:
        apt.download_binaries(_PACKAGES, scratch)
        for package in scratch.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, python.root], check=True)
    (python.root / "proc").mkdir(exist_ok=True)
    cpus = "".join(_CPU.format(number=number) for number in range(_CPUS))
    (python.root / "proc/cpuinfo").write_text(cpus)
    for wheel in architecture.wheels:
        with zipfile.ZipFile(wheel.fetch()) as archive:
            archive.extractall(python.modules)
    _compile([python.root / "usr/lib", python.modules])


def _compile(folders: Sequence[Path]) -> None:
    """Compiles the modules with this Python; of another version than 3.11, that has no effect.

    Under qemu, importing numpy and an interpreter takes three times as long if Python has to compile them.
    """
    words = ["-m", "compileall", "-q", "-j0", "-x", "/numpy/.*/tests/", *map(str, folders)]
    # A module that is not for this Python version does not compile.
    subprocess.run([sys.executable, *words], check=False, stdout=subprocess.DEVNULL)
