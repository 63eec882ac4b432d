"""Creates the virtual environment of a lock file, once for each user, and prints its folder."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bootstrap import uv
from bootstrap.cache import built_in_place, cache_root
from bootstrap.console import BootstrapError, say

Version = tuple[int, int]


def parse_version(text: str) -> Version:
    """Returns the major and the minor version: "3.11" -> (3, 11)."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def candidates(oldest: Version, newest: Version) -> list[str]:
    """Returns the names of interpreters to look for; the best tested ones first."""
    names = ["python3.11", "python3"]
    names += [f"python3.{minor}" for minor in range(newest[1], oldest[1] - 1, -1)]
    return list(dict.fromkeys(names))


def probe(program: str) -> tuple[Version, str] | None:
    """Returns the version and the real path of an interpreter; None if it does not run."""
    code = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"
    done = subprocess.run([program, "-c", code], text=True, capture_output=True)
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != 2:
        return None
    return parse_version(lines[0]), lines[1]


def find_python(oldest: Version, newest: Version, names: Iterable[str]) -> tuple[Version, str]:
    """Returns the first interpreter of a supported version.

    Raises:
        BootstrapError: there is none; lists the interpreters found.
    """
    seen = []
    for name in names:
        program = shutil.which(name)
        found = probe(program) if program else None
        if found is None:
            continue
        if oldest <= found[0] <= newest:
            return found
        seen.append(f"{name} is {found[0][0]}.{found[0][1]}")
    raise BootstrapError(
        f"CPython {oldest[0]}.{oldest[1]} to {newest[0]}.{newest[1]} is required on PATH; "
        f"found: {', '.join(seen) or 'none'}"
    )


def create(lock: Path, oldest: Version, newest: Version) -> Path:
    """Creates the environment of a lock file unless it is cached.

    Returns:
        Its folder.

    Raises:
        BootstrapError: no Python of a supported version is installed, or pip failed.
    """
    version, python = find_python(oldest, newest, candidates(oldest, newest))
    # An environment contains the path of its interpreter.
    key = hashlib.sha256(lock.read_bytes() + python.encode()).hexdigest()[:16]
    folder = cache_root() / "venvs" / f"{lock.stem}-{version[0]}.{version[1]}-{key}"
    with built_in_place(folder) as missing:
        if missing:
            _fill(folder, lock, python)
    return folder


def _fill(folder: Path, lock: Path, python: str) -> None:
    say(f"creating the Python environment of {lock.name} in {folder}")
    command = [python, "-m", "venv", "--without-pip", str(folder)]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode:
        raise BootstrapError(f"{python} -m venv failed: {(done.stdout + done.stderr).strip()}")
    uv.install(lock, python, folder)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments that describe an environment."""
    parser.add_argument(
        "--lock", type=Path, required=True, help="the lock file: requirements with hashes"
    )
    parser.add_argument("--oldest", type=parse_version, required=True, help="version of Python")
    parser.add_argument("--newest", type=parse_version, required=True, help="version of Python")


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the environment's folder. Exit status 0, or 2 with a message on stderr."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    arguments = parser.parse_args(argv)
    try:
        print(create(arguments.lock, arguments.oldest, arguments.newest))
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
