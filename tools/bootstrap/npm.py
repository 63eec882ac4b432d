"""Packages from npm, as the archives that they are published in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from bootstrap.console import BootstrapError, say


def pack(package: str, file: str, folder: Path) -> Path:
    """Gets the archive of a package.

    Args:
        package: its name and version, as name@version.
        file: what npm calls the archive.
        folder: where it goes.

    Returns:
        The archive, not checked yet.

    Raises:
        BootstrapError: no npm, or it could not get the package.
    """
    if not shutil.which("npm"):
        raise BootstrapError("npm is missing; try: sudo apt-get install npm")
    say(f"getting {package} from npm")
    done = subprocess.run(
        ["npm", "pack", "--silent", package], cwd=folder, text=True, capture_output=True
    )
    archive = folder / file
    if done.returncode or not archive.exists():
        raise BootstrapError(f"npm pack failed: {done.stderr.strip()[-300:]}")
    return archive
