"""Shows pages in a real browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def _run(folder: Path, *arguments: str) -> bytes:
    program = next((p for n in ("chromium", "google-chrome") if (p := shutil.which(n))), None)
    if program is None:
        pytest.skip("no browser on PATH. Try: sudo apt-get install chromium")
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command.append(f"--user-data-dir={folder}/profile")
    done = subprocess.run([*command, *arguments], capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(page: bytes, folder: Path, fragment: str = "", size: str = "1280,1000") -> str:
    """Returns the document of a page after its script ran; `fragment` is what follows # in its address."""
    file = folder / "page.html"
    file.write_bytes(page)
    address = file.as_uri() + (f"#{fragment}" if fragment else "")
    return _run(folder, "--dump-dom", f"--window-size={size}", address).decode()


def screenshot(page: bytes, folder: Path, size: str) -> bytes:
    """Returns what a page looks like, as PNG; `size` is like "1280,1000"."""
    file, shot = folder / "page.html", folder / "page.png"
    file.write_bytes(page)
    _run(folder, f"--screenshot={shot}", f"--window-size={size}", file.as_uri())
    return shot.read_bytes()
