"""The source tree that the tests of the documentation read."""

from __future__ import annotations

import subprocess
from pathlib import Path

# The tests have no declared inputs: Bazel's runfiles link to the source tree.
ROOT = Path(__file__).resolve().parents[2]


def tracked() -> list[str]:
    """Returns the paths that git tracks or would add, relative to ROOT."""
    listing = subprocess.run(
        [
            "git",
            "-c",
            "safe.directory=*",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return sorted(name for name in listing.split("\0") if name and (ROOT / name).is_file())
