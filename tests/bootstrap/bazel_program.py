"""A program in place of Bazel, which tests of bazelw put on PATH."""

import os
from pathlib import Path

BAZELW = Path(os.environ["RUNFILES_DIR"]) / "_main/bazelw"
VERSION = (BAZELW.parent / ".bazelversion").read_text().strip()


def write_program(path: Path, version: str) -> None:
    """A fake Bazel, which reports its version or prints its arguments."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "#!/bin/sh\n"
        f'if [ "$1" = --version ]; then echo "bazel {version}"; exit; fi\n'
        'echo "$0 $* version=${USE_BAZEL_VERSION:-} home=${HOME:-} tmp=${TEST_TMPDIR:-}"\n'
    )
    path.chmod(0o755)
