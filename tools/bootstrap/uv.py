"""uv, which installs packages in less time than pip, and in environments that share their files on the disk.

pip downloads the packages and uv itself: users configure mirrors, certificates and proxies for pip.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from bootstrap.cache import built_in_place, cache_root, locked
from bootstrap.console import BootstrapError
from bootstrap.unpack import unpack
from bootstrap.wheels import download, wheel_folder

_LOCK = "uv.txt"
_MAX_MESSAGE = 600


def install(lock: Path, python: str, environment: Path) -> None:
    """Installs the packages of a lock file into a virtual environment, with their bytecode.

    Args:
        lock: the requirements with hashes; uv's own lock file is in the same folder.
        python: the interpreter of the environment, with pip.
        environment: the folder of the environment.

    Raises:
        BootstrapError: pip could not download a package, or uv could not install one.
    """
    program = _program(lock.with_name(_LOCK), python)
    _download(lock, python)
    command = [
        *(str(program), "pip", "install", "--quiet", "--offline", "--no-index"),
        *(f"--find-links={wheel_folder()}", "--require-hashes", "--compile-bytecode"),
        # A lock file has all dependencies.
        *("--no-deps", "--python", str(environment / "bin/python"), "--requirement", str(lock)),
    ]
    done = subprocess.run(
        command,
        text=True,
        capture_output=True,
        # No setting of the user's, such as another index: the wheels are here.
        env={**os.environ, "UV_CACHE_DIR": str(cache_root() / "uv"), "UV_NO_CONFIG": "1"},
    )
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise BootstrapError(f"uv pip install failed: {' / '.join(lines)[:_MAX_MESSAGE]}")


def _download(lock: Path, python: str) -> None:
    """Downloads the wheels of a lock file that the cache does not have.

    A wheel keeps its path and time there. So uv knows that it is the one in its own cache, and links the files.
    """
    wheels = wheel_folder()
    with locked(wheels / "download"):
        download(lock, wheels, python, [f"--find-links={wheels}"])


def _program(lock: Path, python: str) -> Path:
    """Returns uv, which is downloaded and unpacked once for each user."""
    name = lock.read_text(encoding="utf-8").split()[0].replace("==", "-")
    folder = cache_root() / name
    with built_in_place(folder) as missing:
        if missing:
            _download(lock, python)
            (wheel,) = wheel_folder().glob(f"{name}-*.whl")
            unpack(wheel, folder, f"{name}.data/scripts")
    return folder / "uv"
