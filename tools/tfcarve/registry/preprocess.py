"""Runs the C++ preprocessor over skeletons."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.registry.settings import Settings

_SOURCE = re.compile(r"^TFCARVE_SOURCE$", re.MULTILINE)
PRELUDE_NAME = "tfcarve_prelude.inc"
# The predefined macros of the target, in the folder of skeletons.
TARGET_NAME = "tfcarve_target.inc"


def command(settings: Settings, skeletons: Path, sources: Sequence[str]) -> list[str]:
    """Returns the arguments that preprocess `sources`, paths relative to the folder `skeletons`."""
    return [
        *settings.compiler,
        "-E",
        "-P",
        "-w",
        "-nostdinc",
        "-x",
        "c++",
        "-std=c++17",
        *(f"-D{define}" for define in settings.defines),
        f"-I{skeletons}",
        *(("-undef", "-include", TARGET_NAME) if settings.target.macros else ()),
        "-include",
        PRELUDE_NAME,
        *sources,
    ]


def run(settings: Settings, skeletons: Path, sources: Sequence[str]) -> str:
    """Returns the preprocessor's output for all `sources`, one after the other.

    Raises:
      InvalidInput: the preprocessor fails; with its message.
    """
    arguments = command(settings, skeletons, sources)
    try:
        done = subprocess.run(arguments, cwd=skeletons, capture_output=True, check=False)
    except OSError as error:
        raise InvalidInput(
            f"{arguments[0]}: the C++ preprocessor cannot be run: {error.strerror}: "
            "install g++ (or clang++) or set CXX"
        ) from None
    if done.returncode != 0:
        message = done.stderr.decode(errors="replace").strip()
        raise InvalidInput(f"the C++ preprocessor failed:\n{message[:4000]}")
    return _named(done.stdout.decode(errors="replace"), sources)


def _named(output: str, sources: Sequence[str]) -> str:
    """Returns `output` with the source's name after each TFCARVE_SOURCE, which begins the output of a source.

    The prelude cannot name the source: __BASE_FILE__ is the source in g++, but not in clang++ in an -include file.
    """
    before, *parts = _SOURCE.split(output)
    if len(parts) != len(sources):
        raise InvalidInput(
            f"the C++ preprocessor printed {len(parts)} parts for {len(sources)} sources: {', '.join(sources)}"
        )
    quoted = (s.replace("\\", "\\\\").replace('"', '\\"') for s in sources)
    named = (f'TFCARVE_SOURCE "{s}"{part}' for s, part in zip(quoted, parts, strict=True))
    return before + "".join(named)
