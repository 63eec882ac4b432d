"""Makes a virtual environment from a lock, once for this user, and prints where it is."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bootstrap.cache import built_in_place, cache_root
from bootstrap.console import BootstrapError, say
from bootstrap.wheels import run_pip, wheel_folder

Version = tuple[int, int]


def parse_version(text: str) -> Version:
    """ "3.11" -> (3, 11)."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def candidates(oldest: Version, newest: Version) -> list[str]:
    """Names of interpreters to look for, the ones tested most first."""
    names = ["python3.11", "python3"]
    names += [f"python3.{minor}" for minor in range(newest[1], oldest[1] - 1, -1)]
    return list(dict.fromkeys(names))


def probe(program: str) -> tuple[Version, str] | None:
    """Version and real path of an interpreter, None where it does not run."""
    code = "import sys; print('%d.%d' % sys.version_info[:2]); print(sys.executable)"
    done = subprocess.run([program, "-c", code], text=True, capture_output=True)
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != 2:
        return None
    return parse_version(lines[0]), lines[1]


def find_python(oldest: Version, newest: Version, names: Iterable[str]) -> tuple[Version, str]:
    """The first interpreter of a fitting version.

    Raises:
        BootstrapError: none; names those that were found.
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
        f"needs CPython {oldest[0]}.{oldest[1]} to {newest[0]}.{newest[1]} on PATH; "
        f"found: {', '.join(seen) or 'none'}"
    )


def make(lock: Path, oldest: Version, newest: Version) -> Path:
    """Makes the environment of a lock unless it is there.

    Returns:
        Its folder.

    Raises:
        BootstrapError: no fitting Python, or pip failed.
    """
    version, python = find_python(oldest, newest, candidates(oldest, newest))
    # An environment belongs to one interpreter: its path is in it.
    key = hashlib.sha256(lock.read_bytes() + python.encode()).hexdigest()[:16]
    folder = cache_root() / "venvs" / f"{lock.stem}-{version[0]}.{version[1]}-{key}"
    with built_in_place(folder) as missing:
        if missing:
            _fill(folder, lock, python)
    return folder


def _fill(folder: Path, lock: Path, python: str) -> None:
    say(f"making the Python environment of {lock.name} under {folder}")
    done = subprocess.run([python, "-m", "venv", str(folder)], text=True, capture_output=True)
    if done.returncode:
        words = (done.stdout + done.stderr).strip()
        hint = "\ntry: sudo apt-get install python3-venv" if "ensurepip" in words else ""
        raise BootstrapError(f"{python} -m venv failed: {words}{hint}")
    wheels = wheel_folder()
    wheels.mkdir(parents=True, exist_ok=True)
    # Wheels that the sources came from are taken from there instead of fetched twice.
    run_pip(
        folder / "bin/python",
        [
            "install",
            "--require-hashes",
            "--only-binary=:all:",
            f"--requirement={lock}",
            f"--find-links={wheels}",
        ],
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the environment's folder. Exit status 0, or 2 with a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lock", type=Path, required=True, help="requirements with hashes")
    parser.add_argument("--oldest", type=parse_version, required=True)
    parser.add_argument("--newest", type=parse_version, required=True)
    options = parser.parse_args(argv)
    try:
        print(make(options.lock, options.oldest, options.newest))
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
