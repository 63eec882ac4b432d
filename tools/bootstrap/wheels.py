"""Downloads wheels with pip, by name and pinned hash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bootstrap.cache import cache_root, locked, scratch_folder
from bootstrap.checksum import require_sha256, sha256_of
from bootstrap.console import BootstrapError, say


def wheel_folder() -> Path:
    """The cache of downloaded wheels, which pip uses with --find-links."""
    return cache_root() / "wheels"


def fetch_wheel(requirement: str, file: str, sha256: str, options: Sequence[str] = ()) -> Path:
    """Downloads a wheel unless it is cached.

    Args:
        requirement: "name==version".
        file: the wheel's file name.
        sha256: its checksum.
        options: more options of `pip download`, such as the platform.

    Returns:
        The path of the wheel; its checksum is correct.

    Raises:
        BootstrapError: pip is missing or failed, or the checksum is wrong.
    """
    cached = wheel_folder() / file
    with locked(cached):
        if cached.exists():
            if sha256_of(cached) == sha256:
                return cached
            say(f"{cached} is damaged; downloading it again")
            cached.unlink()
        say(f"downloading {file}")
        with scratch_folder(cached) as scratch:
            pins = scratch / "requirements.txt"
            pins.write_text(f"{requirement} --hash=sha256:{sha256}\n")
            download(pins, scratch, base_python(), options)
            require_sha256(scratch / file, sha256)
            os.replace(scratch / file, cached)
    return cached


def download(
    requirements: Path, folder: Path, python: str | Path, options: Sequence[str] = ()
) -> None:
    """Downloads the wheels of requirements with hashes.

    Args:
        requirements: the file with them.
        folder: where the wheels are put.
        python: the interpreter that the wheels are for, with pip.
        options: more options of `pip download`.

    Raises:
        BootstrapError: pip is missing or failed.
    """
    run_pip(
        python,
        [
            *("download", "--no-deps", "--require-hashes", "--only-binary=:all:"),
            f"--dest={folder}",
            f"--requirement={requirements}",
            *options,
        ],
    )


def base_python() -> Path:
    """The interpreter that this environment is for: tfcarve's virtual environments have no pip."""
    return Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")


def run_pip(python: str | Path, arguments: Sequence[str]) -> None:
    """Runs pip quietly.

    Raises:
        BootstrapError: pip failed; has the end of its output.
    """
    command = [str(python), "-m", "pip", "-q", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode:
        lines = [x.strip() for x in (done.stderr + done.stdout).splitlines() if x.strip()]
        if "No module named pip" in done.stderr and shutil.which("apt-get"):
            lines.append("try: sudo apt-get install python3-pip")
        raise BootstrapError(f"pip {arguments[0]} failed: {' / '.join(lines[-4:])}")
