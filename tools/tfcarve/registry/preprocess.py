"""Runs the C++ preprocessor over skeletons."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tfcarve.errors import InvalidInput

_SOURCE = re.compile(r"^TFCARVE_SOURCE$", re.MULTILINE)
PRELUDE_NAME = "tfcarve_prelude.inc"


def command(
    compiler: Sequence[str], defines: Sequence[str], skeletons: Path, sources: Sequence[str]
) -> list[str]:
    """Returns the arguments that preprocess `sources`, paths relative to the folder `skeletons`."""
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
        f"-I{skeletons}",
        "-include",
        PRELUDE_NAME,
        *sources,
    ]


def run(
    compiler: Sequence[str], defines: Sequence[str], skeletons: Path, sources: Sequence[str]
) -> str:
    """Returns the preprocessor's output for all `sources`, one after the other.

    Raises InvalidInput with the preprocessor's message where it fails.
    """
    arguments = command(compiler, defines, skeletons, sources)
    try:
        done = subprocess.run(arguments, cwd=skeletons, capture_output=True, check=False)
    except OSError as error:
        raise InvalidInput(
            f"{compiler[0]}: the C++ preprocessor cannot be run: {error.strerror}: "
            "install g++ (or clang++) or name one with CXX"
        ) from None
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise InvalidInput(f"the C++ preprocessor failed:\n{message[:4000]}")
    return _named(done.stdout.decode(errors="replace"), sources)


def _named(output: str, sources: Sequence[str]) -> str:
    """Returns `output` with the name of the source after each TFCARVE_SOURCE, which stands at its beginning.

    The prelude can't name it: __BASE_FILE__ is the source for g++, but not for clang++ in a file of -include.
    """
    before, *parts = _SOURCE.split(output)
    if len(parts) != len(sources):
        raise InvalidInput(
            f"the C++ preprocessor gave {len(parts)} parts for {len(sources)} sources: {', '.join(sources)}"
        )
    quoted = (s.replace("\\", "\\\\").replace('"', '\\"') for s in sources)
    named = (f'TFCARVE_SOURCE "{s}"{part}' for s, part in zip(quoted, parts, strict=True))
    return before + "".join(named)
