"""Gradle resolves an AAR in a Maven repository that `tfcarve maven` writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tfcarve.cli import main

_BUILD = Path(os.environ.get("RUNFILES_DIR", "")) / "_main/tests/java/gradle/build.gradle"


def _resolve(folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the build's task, which prints the files that the dependency resolves to."""
    gradle = shutil.which("gradle")
    if gradle is None:
        pytest.fail("gradle is not on PATH; try: sudo apt-get install gradle")
    words = ["--offline", "--quiet", "--no-daemon", f"--gradle-user-home={folder / 'home'}"]
    return subprocess.run(
        [gradle, *words, "resolve"], cwd=folder, check=False, capture_output=True, text=True
    )


def test_gradle(tmp_path: Path) -> None:
    aar = tmp_path / "a.aar"
    with zipfile.ZipFile(aar, "w") as archive:
        archive.writestr("AndroidManifest.xml", "<manifest/>")
    shutil.copy(_BUILD, tmp_path)
    # A control: the repository has another version only.
    for version, status in (("2.0", 1), ("1.0", 0)):
        words = (f"--coordinates=org.example:tensorflow:{version}", f"-o={tmp_path / 'maven'}")
        assert main(["maven", str(aar), *words]) == 0
        done = _resolve(tmp_path)
        assert done.returncode == status, done.stderr
    (resolved,) = (line for line in done.stdout.splitlines() if line.endswith(".aar"))
    assert Path(resolved).read_bytes() == aar.read_bytes()
