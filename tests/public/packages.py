"""Packages of PyPI that contain trained models: downloaded and unpacked once into the user's cache.

Only the models are read, and of mtcnn the description of its networks; nothing is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bootstrap import npm
from bootstrap.cache import built_in_place, cache_root
from bootstrap.checksum import require_sha256
from bootstrap.unpack import unpack
from bootstrap.wheels import fetch_wheel


@dataclass(frozen=True)
class Package:
    """A wheel.

    Attributes:
      requirement: NAME==VERSION.
      file: its file name.
      sha256: its checksum.
    """

    requirement: str
    file: str
    sha256: str

    def folder(self) -> Path:
        """Returns the folder with its files; raises BootstrapError if pip could not get it."""
        target = cache_root() / "public" / f"{self.requirement}-{self.sha256[:16]}"
        with built_in_place(target) as missing:
            if missing:
                unpack(fetch_wheel(self.requirement, self.file, self.sha256), target, "")
        return target


@dataclass(frozen=True)
class NpmPackage:
    """A package of npm.

    Attributes:
      name: NAME@VERSION.
      file: the name that npm gives its archive.
      sha256: the archive's checksum.
    """

    name: str
    file: str
    sha256: str

    def folder(self) -> Path:
        """Returns the folder with its files; raises BootstrapError if npm could not get it."""
        target = cache_root() / "public" / f"{self.file}-{self.sha256[:16]}"
        with built_in_place(target) as missing:
            if missing:
                archive = npm.pack(self.name, self.file, target)
                require_sha256(archive, self.sha256)
                unpack(archive, target, "package")
                archive.unlink()
        return target


BASIC_PITCH = Package(
    "basic-pitch==0.4.0",
    "basic_pitch-0.4.0-py2.py3-none-any.whl",
    "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0",
)
GUESSLANG = Package(
    "guesslang==2.2.1",
    "guesslang-2.2.1-py3-none-any.whl",
    "36bd12130515ee0e637f7255340ba92ea919d53423743f4c1b0c73727a5499cb",
)
INA_SPEECH_SEGMENTER = Package(
    "inaSpeechSegmenter==0.6.8",
    "inaSpeechSegmenter-0.6.8-py3-none-any.whl",
    "16303a0b4f7e71b823b7f281e620ab399f9c1b26526e0f0c9e135bc70d313250",
)
MTCNN = Package(
    "mtcnn==0.1.1",
    "mtcnn-0.1.1-py3-none-any.whl",
    "fd69d2f4dd10647dd7481a53b9586e805f35a17c61ac78ba472a7f53766eb86e",
)
