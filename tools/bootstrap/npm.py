"""Downloads packages from npm as archives."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from bootstrap.console import BootstrapError, say


def pack(package: str, file: str, folder: Path) -> Path:
    """Downloads the archive of a package.

    Args:
        package: its name and version, as name@version.
        file: the file name that npm gives the archive.
        folder: the folder to write it to.

    Returns:
        The path of the archive; its checksum is not checked.

    Raises:
        BootstrapError: npm is missing or failed.
    """
    if not shutil.which("npm"):
        raise BootstrapError("npm is not on PATH; try: sudo apt-get install npm")
    say(f"downloading {package} from npm")
    done = subprocess.run(
        ["npm", "pack", "--silent", package], cwd=folder, text=True, capture_output=True
    )
    archive = folder / file
    if done.returncode or not archive.exists():
        raise BootstrapError(f"npm pack failed: {done.stderr.strip()[-300:]}")
    return archive
