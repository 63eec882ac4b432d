"""Copies the packages of a lock file into a folder, so that they can be inputs of actions.

Prints JSON: the names or paths of interpreters to try, in this order, the one of this machine, and what identifies it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bootstrap import venv
from bootstrap.checksum import sha256_of
from bootstrap.console import BootstrapError

# Folders of programs that all users and remote workers have.
_SYSTEM = ("/usr/bin", "/usr/local/bin")
# What a virtual environment contains before packages are installed, and what contains its path.
_OMITTED = (
    *("pip", "pip-*", "setuptools", "setuptools-*", "pkg_resources", "_distutils_hack"),
    *("distutils-precedence.pth", "*.dist-info", "__pycache__"),
)


# Of the standard library; Debian's python3.11-minimal does not have them.
_MODULES = "ctypes, hashlib, json, zlib"


def _is_complete(python: Path) -> bool:
    done = subprocess.run([python, "-S", "-c", f"import {_MODULES}"], capture_output=True)
    return done.returncode == 0


def interpreters(
    version: venv.Version, recorded: str, folders: Sequence[str] = _SYSTEM
) -> list[str]:
    """Returns the interpreters to try for a version; the one at `recorded` only if no folder has one."""
    name = f"python{version[0]}.{version[1]}"
    system = [Path(folder, name) for folder in folders]
    present = [path for path in system if path.exists()]
    usable = [path for path in present if _is_complete(path)]
    names = [str(path) for path in system if path in usable or path not in present]
    return [*names, *([] if usable else [recorded]), name]


def identity(program: Path) -> str:
    """Returns the version and the digest of an interpreter."""
    done = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    return f"{done.stdout.strip()} {sha256_of(program)}"


def copy(environment: Path, folder: Path) -> None:
    """Copies the packages of a virtual environment to a folder and compiles them, always to the same bytes.

    Raises:
        BootstrapError: a package cannot be compiled.
    """
    (packages,) = environment.glob("lib/python*/site-packages")
    shutil.copytree(packages, folder, ignore=shutil.ignore_patterns(*_OMITTED))
    # The bytecode has paths relative to the folder, and Python does not compare it with time stamps.
    options = ["-q", "--invalidation-mode=unchecked-hash", "-s", str(folder)]
    done = subprocess.run(
        [environment / "bin/python", "-m", "compileall", *options, folder],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BootstrapError(f"{folder}: cannot be compiled: {done.stdout.strip()}")


def main(argv: Sequence[str] | None = None) -> int:
    """Fills the folder. Exit status 0, or 2 with a message on stderr."""
    parser = argparse.ArgumentParser(description=__doc__)
    venv.add_arguments(parser)
    parser.add_argument("--into", type=Path, required=True, help="the folder, which does not exist")
    arguments = parser.parse_args(argv)
    try:
        oldest, newest = arguments.oldest, arguments.newest
        version, python = venv.find_python(oldest, newest, venv.candidates(oldest, newest))
        copy(venv.create(arguments.lock, oldest, newest), arguments.into)
        names = interpreters(version, python)
        program = Path(next(path for name in names if (path := shutil.which(name)))).resolve()
        found = {"program": str(program), "identity": identity(program), "interpreters": names}
        print(json.dumps(found))
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
