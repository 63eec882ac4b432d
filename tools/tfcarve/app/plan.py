"""What a build installs, downloads and runs, as lines for the user."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

from tfcarve import files
from tfcarve.app.project import Project

_PREPARES = "full TensorFlow (0.3 GB), which prepares and runs the models, "


def lines(project: Project) -> Iterator[str]:
    """Yields what a build of a project does beyond its workspace."""
    cache = files.cache_directory()
    yield f"workspace: {cache / 'build' / 'app'}"
    packages = _missing_packages(project)
    if packages and _installs():
        yield f"installs with apt-get (TFCARVE_NO_INSTALL=1 declines): {' '.join(packages)}"
    elif packages:
        yield f"not installed, and needed by some platforms: apt-get install {' '.join(packages)}"
    prepares = _PREPARES if project.needs_tensorflow else ""
    yield f"downloads, unless {cache} has them: Bazel, TensorFlow {project.release}'s sources, {prepares}Python packages"
    yield f"compiles, the first time for some minutes: the library for {', '.join(project.platforms)}"


def _missing_packages(project: Project) -> list[str]:
    """The Debian packages that bazelw, which runs the python3 on PATH, installs if it may."""
    done = subprocess.run(
        ["python3", "-m", "bootstrap.system_packages"],
        env={
            **os.environ,
            "PYTHONPATH": str(project.module / "tools"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout.split()


def _installs() -> bool:
    """Whether bazelw installs packages: root, who did not decline."""
    return os.getuid() == 0 and not os.environ.get("TFCARVE_NO_INSTALL")
