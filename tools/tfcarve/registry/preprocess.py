"""Runs the C++ preprocessor over shadows."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tfcarve.errors import BadInput

PRELUDE_NAME = "tfcarve_prelude.inc"


def command(
    compiler: Sequence[str], defines: Sequence[str], shadows: Path, sources: Sequence[str]
) -> list[str]:
    """Returns the arguments that preprocess `sources`, paths relative to the folder `shadows`."""
    return [
        *compiler,
        "-E",
        "-P",
        "-w",
        "-nostdinc",
        "-x",
        "c++",
        "-std=c++17",
        *(f"-D{define}" for define in defines),
        f"-I{shadows}",
        "-include",
        PRELUDE_NAME,
        *sources,
    ]


def run(
    compiler: Sequence[str], defines: Sequence[str], shadows: Path, sources: Sequence[str]
) -> str:
    """Returns the preprocessor's output for all `sources`, one after the other.

    Raises BadInput with the preprocessor's message where it fails.
    """
    arguments = command(compiler, defines, shadows, sources)
    try:
        done = subprocess.run(arguments, cwd=shadows, capture_output=True, check=False)
    except OSError as error:
        raise BadInput(
            f"{compiler[0]}: the C++ preprocessor cannot be run: {error.strerror}: "
            "install g++ (or clang++) or name one with CXX"
        ) from None
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise BadInput(f"the C++ preprocessor failed:\n{message[:4000]}")
    return done.stdout.decode(errors="replace")
