"""The C++ compilers for parametrized tests; missing ones are skipped."""

import re
import shutil
from pathlib import Path

import pytest


def _newest_clang() -> str | None:
    """Returns clang++, or the newest of Debian's clang++-NN."""
    if shutil.which("clang++"):
        return "clang++"
    found = (
        re.fullmatch(r"clang\+\+-(\d+)", path.name) for path in Path("/usr/bin").glob("clang*")
    )
    numbers = [int(match.group(1)) for match in found if match]
    return f"clang++-{max(numbers)}" if numbers else None


def _parameter(name: str, command: str | None) -> object:
    missing = pytest.mark.skipif(command is None, reason=f"{name} is not installed")
    return pytest.param(command, id=name, marks=missing)


# For pytest.mark.parametrize.
ALL = [
    _parameter("g++", "g++" if shutil.which("g++") else None),
    _parameter("clang++", _newest_clang()),
]
