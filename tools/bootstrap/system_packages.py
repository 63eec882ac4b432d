"""The programs of the system that a build needs, and the Debian packages they are in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from bootstrap.console import BootstrapError, say

# Program that shows a package is there -> its package.
PROGRAMS = {
    "g++": "g++",
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "arm-linux-gnueabihf-g++": "g++-arm-linux-gnueabihf",
    "chromium": "chromium",
    "clang++-19": "clang-19",
    "cmake": "cmake",
    "javac": "openjdk-17-jdk-headless",
    "ld.lld-19": "lld-19",
    "llvm-ar-19": "llvm-19",
    "make": "make",
    "pkg-config": "pkgconf",
    # It takes plugins, the static one does not.
    "qemu-aarch64": "qemu-user",
    "qemu-aarch64-static": "qemu-user-static",
    "xz": "xz-utils",
}

# The same for modules of the Python that runs this.
MODULES = {"ensurepip": "python3-venv", "pip": "python3-pip"}


def missing_packages() -> list[str]:
    """The Debian packages that are not there, judged by what they bring."""
    missing = [package for program, package in PROGRAMS.items() if not shutil.which(program)]
    for module, package in MODULES.items():
        if subprocess.run(
            [sys.executable, "-c", f"import {module}"], capture_output=True
        ).returncode:
            missing.append(package)
    return missing


def provide() -> None:
    """Installs missing packages where this is root on Debian, else names them in one line.

    A missing package is no error here: only what needs it fails, with its own message.
    TFCARVE_NO_INSTALL=1 keeps root from installing.

    Raises:
        BootstrapError: apt-get could not install them.
    """
    missing = missing_packages()
    if not missing or not shutil.which("apt-get"):
        return
    if os.getuid() != 0 or os.environ.get("TFCARVE_NO_INSTALL"):
        say(f"missing packages; try: sudo apt-get install {' '.join(missing)}")
        return
    say(f"installing {' '.join(missing)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    install = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", *missing]
    for command in (["apt-get", "-qq", "update"], install):
        done = subprocess.run(command, text=True, capture_output=True, env=environment)
        if done.returncode:
            raise BootstrapError(f"{' '.join(command)} failed: {done.stderr.strip()[-400:]}")
