"""Wheels from the Python package index, by name and pinned hash, through pip."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bootstrap.cache import cache_root, locked, scratch_beside
from bootstrap.checksum import require_sha256, sha256_of
from bootstrap.console import BootstrapError, say


def wheel_folder() -> Path:
    """Where downloaded wheels are kept; pip takes them from here again with --find-links."""
    return cache_root() / "wheels"


def fetch_wheel(requirement: str, file: str, sha256: str, options: Sequence[str] = ()) -> Path:
    """Gets one wheel, once for this user.

    Args:
        requirement: "name==version".
        file: name of the wheel's file.
        sha256: its checksum.
        options: more for `pip download`, such as the platform.

    Returns:
        Path of the checked wheel.

    Raises:
        BootstrapError: pip is missing, could not get it, or it is another one.
    """
    kept = wheel_folder() / file
    with locked(kept):
        if kept.exists():
            if sha256_of(kept) == sha256:
                return kept
            say(f"{kept} is damaged; it is fetched again")
            kept.unlink()
        say(f"downloading {file}")
        with scratch_beside(kept) as scratch:
            pins = scratch / "requirements.txt"
            pins.write_text(f"{requirement} --hash=sha256:{sha256}\n")
            run_pip(
                sys.executable,
                [
                    "download",
                    "--no-deps",
                    "--require-hashes",
                    "--only-binary=:all:",
                    f"--dest={scratch}",
                    f"--requirement={pins}",
                    *options,
                ],
            )
            require_sha256(scratch / file, sha256)
            os.replace(scratch / file, kept)
    return kept


def run_pip(
    python: str | Path, arguments: Sequence[str], environment: Mapping[str, str] | None = None
) -> None:
    """Runs pip quietly.

    Raises:
        BootstrapError: with pip's last lines.
    """
    command = [str(python), "-m", "pip", "-q", "--disable-pip-version-check", *arguments]
    done = subprocess.run(
        command,
        text=True,
        capture_output=True,
        env={**os.environ, **(environment or {})},
    )
    if done.returncode:
        lines = [x.strip() for x in (done.stderr + done.stdout).splitlines() if x.strip()]
        if "No module named pip" in done.stderr and shutil.which("apt-get"):
            lines.append("try: sudo apt-get install python3-pip python3-venv")
        raise BootstrapError(f"pip {arguments[0]} failed: {' / '.join(lines[-4:])}")
