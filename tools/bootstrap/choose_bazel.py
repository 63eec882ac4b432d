"""Chooses the Bazel that `bazelw` runs, gets it where need be, and writes the choice down.

Order: a `bazel` or `bazelisk` on PATH that is of the version asked for; bazelisk from npm where
Bazel's releases can be reached; Debian's own Bazel.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bootstrap import bazelisk, debian_bazel, system_packages
from bootstrap.cache import cache_root, locked, write_atomically
from bootstrap.console import BootstrapError, say

_PROBE_SECONDS = 180  # A bazelisk may have to download Bazel first.

# For every Bazel: keep the server small, for nested workspaces have servers of their own, and
# share what was built between all workspaces of this user. Bazel's sandbox has a /tmp of its own, in
# which a nested workspace would not find a checkout that lies there.
_COMMON_RC = """\
startup --host_jvm_args=-Xmx2g
startup --max_idle_secs=900
common "--disk_cache={disk_cache}"
common --incompatible_strict_action_env
build --sandbox_add_mount_pair=/tmp
"""


@dataclass(frozen=True)
class Choice:
    """A Bazel to run.

    Attributes:
        bazel: path of the program.
        rc: lines that only this one needs.
        bazelisk: True where the version has to be told by USE_BAZEL_VERSION.
    """

    bazel: Path
    rc: str = ""
    bazelisk: bool = False


def version_of(program: str, wanted: str) -> str | None:
    """The version that a bazel or bazelisk answers with, None where it fails to tell."""
    environment = {**os.environ, "TFCARVE_BAZELW_PROBE": "1", "USE_BAZEL_VERSION": wanted}
    try:
        # From the root, so that no .bazelversion or tools/bazel of a workspace has a say.
        done = subprocess.run(
            [program, "--version"],
            cwd="/",
            env=environment,
            text=True,
            capture_output=True,
            timeout=_PROBE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"^bazel (\S+)$", done.stdout, re.MULTILINE)
    return found.group(1) if found and done.returncode == 0 else None


def on_path(version: str, bazelw: Path) -> Choice:
    """A fitting bazel or bazelisk on PATH.

    Raises:
        BootstrapError: none, or only other versions; tells which.
    """
    seen = []
    for name in ("bazel", "bazelisk"):
        program = shutil.which(name)
        if not program:
            continue
        if Path(program).resolve() == bazelw.resolve():
            seen.append(f"{program} is bazelw itself")
            continue
        has = version_of(program, version)
        if has == version:
            return Choice(Path(program), bazelisk=True)
        seen.append(f"{program} is {has or 'not able to tell its version'}")
    raise BootstrapError("; ".join(seen) or "no bazel or bazelisk")


def from_npm(version: str) -> Choice:
    """bazelisk from npm.

    Raises:
        BootstrapError: see bazelisk.install.
    """
    return Choice(bazelisk.install(version), bazelisk=True)


def from_debian(version: str, bazelw: Path) -> Choice:
    """Debian's Bazel.

    Raises:
        BootstrapError: see debian_bazel.install.
    """
    prefix = debian_bazel.install(version, bazelw.parent.parent / "shared/bazel/debs")
    return Choice(prefix / "bin/bazel", (prefix / "bazelrc").read_text())


def choose(version: str, bazelw: Path) -> Choice:
    """The first way that works.

    Raises:
        BootstrapError: none does; tells for each why.
    """
    ways: dict[str, Callable[[], Choice]] = {
        "on PATH": lambda: on_path(version, bazelw),
        "bazelisk from npm": lambda: from_npm(version),
        "Debian's bazel-bootstrap": lambda: from_debian(version, bazelw),
    }
    failures = []
    for name, way in ways.items():
        try:
            return way()
        except BootstrapError as error:
            failures.append(f"  {name}: {error}")
    raise BootstrapError(
        "\n".join([f"no Bazel {version} to be had here. Tried:", *failures])
        + "\nInstall bazelisk or Bazel and put it on PATH."
    )


def choice_text(choice: Choice, rc: Path, version: str, path_lookup: str) -> str:
    """The sh assignments that bazelw reads."""
    lines = [
        f"for_path={shlex.quote(path_lookup)}",
        f"bazel={shlex.quote(str(choice.bazel))}",
        f"rc={shlex.quote(str(rc))}",
    ]
    if choice.bazelisk:
        lines.append(f"USE_BAZEL_VERSION={shlex.quote(version)}; export USE_BAZEL_VERSION")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the choice file. Exit status 0, or 2 where no Bazel is to be had."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--on-path", required=True, help="what the shell found on PATH")
    parser.add_argument("--bazelw", required=True, type=Path)
    parser.add_argument("--choice", required=True, type=Path, help="the file to write")
    options = parser.parse_args(argv)
    try:
        with locked(options.choice):
            system_packages.provide()
            choice = choose(options.version, options.bazelw)
            rc = options.choice.with_suffix(".bazelrc")
            common = _COMMON_RC.format(disk_cache=cache_root() / "bazel-disk")
            write_atomically(rc, choice.rc + common)
            text = choice_text(choice, rc, options.version, options.on_path)
            write_atomically(options.choice, text)
    except BootstrapError as error:
        say(str(error))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
