"""Runs the C++ preprocessor over shadows."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tfcarve.errors import BadInput

_SOURCE = re.compile(r"^TFCARVE_SOURCE$", re.MULTILINE)
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
    return _named(done.stdout.decode(errors="replace"), sources)


def _named(output: str, sources: Sequence[str]) -> str:
    """Returns `output` with the name of the source after each TFCARVE_SOURCE, which stands at its beginning.

    The prelude can't name it: __BASE_FILE__ is the source for g++, but not for clang++ in a file of -include.
    """
    before, *parts = _SOURCE.split(output)
    if len(parts) != len(sources):
        raise BadInput(
            f"the C++ preprocessor gave {len(parts)} parts for {len(sources)} sources: {', '.join(sources)}"
        )
    quoted = (s.replace("\\", "\\\\").replace('"', '\\"') for s in sources)
    named = (f'TFCARVE_SOURCE "{s}"{part}' for s, part in zip(quoted, parts, strict=True))
    return before + "".join(named)
