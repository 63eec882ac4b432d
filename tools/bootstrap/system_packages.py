"""The system programs and libraries that builds and tests use, and the Debian packages that contain them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

from bootstrap.console import BootstrapError, say

# Program -> the package that contains it.
PROGRAMS = {
    "g++": "g++",
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "arm-linux-gnueabihf-g++": "g++-arm-linux-gnueabihf",
    "chromium": "chromium",
    "clang++-19": "clang-19",
    "cmake": "cmake",
    "dot": "graphviz",
    "i686-linux-gnu-g++": "g++-i686-linux-gnu",
    "javac": "openjdk-17-jdk-headless",
    "ld.lld-19": "lld-19",
    "llvm-ar-19": "llvm-19",
    "make": "make",
    "pkg-config": "pkgconf",
    "python3": "python3",
    # Loads plugins, which the static one does not.
    "qemu-aarch64": "qemu-user",
    "qemu-aarch64-static": "qemu-user-static",
    "xz": "xz-utils",
}

# The same for C libraries, by the names that pkg-config knows them by.
LIBRARIES = {"libsodium": "libsodium-dev"}

# The same for modules of the Python that runs this.
MODULES = {"pip": "python3-pip"}

_DECLINE = "to decline: bazelw --no-install, or TFCARVE_NO_INSTALL=1"


def _has_library(name: str) -> bool:
    program = shutil.which("pkg-config")
    return program is not None and subprocess.run([program, "--exists", name]).returncode == 0


def missing_packages() -> list[str]:
    """The Debian packages whose program, library or module is missing."""
    missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
    missing += [package for name, package in LIBRARIES.items() if not _has_library(name)]
    for module, package in MODULES.items():
        if subprocess.run(
            [sys.executable, "-c", f"import {module}"], capture_output=True
        ).returncode:
            missing.append(package)
    return missing


def install_command(packages: Sequence[str]) -> str:
    """The command with which this user installs packages."""
    sudo = "" if os.getuid() == 0 else "sudo "
    return f"{sudo}apt-get install {' '.join(packages)}"


def provide() -> None:
    """Installs missing packages as root on Debian; for other users, prints the command to do so.

    Never prompts. With TFCARVE_NO_INSTALL=1 in the environment, even root installs nothing. A missing
    package is no error here: the step that needs it fails with its own message.

    Raises:
        BootstrapError: apt-get failed.
    """
    missing = missing_packages()
    if not missing or not shutil.which("apt-get"):
        return
    if os.getuid() != 0 or os.environ.get("TFCARVE_NO_INSTALL"):
        say(
            "some builds and tests need packages that are not installed; "
            f"to install them: {install_command(missing)}"
        )
        return
    say(f"installing with apt-get: {' '.join(missing)} ({_DECLINE})")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    install = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *missing]
    for command in (["apt-get", "-qq", "update"], install):
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, text=True, capture_output=True, env=environment
        )
        if done.returncode:
            raise BootstrapError(
                f"{' '.join(command)} failed ({_DECLINE}): {done.stderr.strip()[-400:]}"
            )


if __name__ == "__main__":
    print("\n".join(missing_packages()))
