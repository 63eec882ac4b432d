"""Chooses the Bazel that `bazelw` runs, downloads it if necessary, and caches the choice.

In this order: a `bazel` or `bazelisk` on PATH of the required version; bazelisk from npm, if Bazel's
releases are reachable; Debian's Bazel.
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

# For every Bazel. A small server, because each nested workspace has its own. A server runs for minutes, in which the
# JVM's optimizing compiler takes more time than it saves: the first analysis of an app took 23 s of CPU time with it,
# 14 s without. Java's SHA-256 needs that compiler: the digest of 1 GB takes 11 s without it; BLAKE3, which is native,
# takes 2 s. One disk cache for all workspaces of this user, with a limit. Bazel's sandbox has its own /tmp: without the
# mount, a nested workspace would not find a checkout that is in /tmp.
_COMMON_RC = """\
startup --host_jvm_args=-Xmx2g
startup --host_jvm_args=-XX:TieredStopAtLevel=1
startup --digest_function=blake3
startup --max_idle_secs=900
common "--disk_cache={disk_cache}"
common --experimental_disk_cache_gc_max_size={disk_cache_size}
common --experimental_disk_cache_gc_idle_delay=30s
common --incompatible_strict_action_env
build --sandbox_add_mount_pair=/tmp
"""


@dataclass(frozen=True)
class Choice:
    """A Bazel to run.

    Attributes:
        bazel: path of the program.
        rc: lines of the bazelrc for this Bazel alone.
        bazelisk: True if USE_BAZEL_VERSION selects the version.
    """

    bazel: Path
    rc: str = ""
    bazelisk: bool = False


def version_of(program: str, wanted: str) -> str | None:
    """The version that a bazel or bazelisk reports; None if it fails."""
    environment = {**os.environ, "TFCARVE_BAZELW_PROBE": "1", "USE_BAZEL_VERSION": wanted}
    try:
        # From the root, where no .bazelversion or tools/bazel of a workspace applies.
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
    """A bazel or bazelisk of the required version on PATH.

    Raises:
        BootstrapError: there is none; lists the other versions found.
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
        seen.append(f"{program} is {has or 'of unknown version'}")
    raise BootstrapError("; ".join(seen) or "no bazel or bazelisk")


def from_npm(version: str) -> Choice:
    """Returns bazelisk from npm.

    Raises:
        BootstrapError: see bazelisk.install.
    """
    return Choice(bazelisk.install(version), bazelisk=True)


def from_debian(version: str, bazelw: Path) -> Choice:
    """Returns Debian's Bazel.

    Raises:
        BootstrapError: see debian_bazel.install.
    """
    prefix = debian_bazel.install(version, bazelw.parent.parent / "shared/bazel/debs")
    return Choice(prefix / "bin/bazel", (prefix / "bazelrc").read_text())


def choose(version: str, bazelw: Path) -> Choice:
    """Returns the first Bazel that is available.

    Raises:
        BootstrapError: none is; lists the reason for each source.
    """
    sources: dict[str, Callable[[], Choice]] = {
        "on PATH": lambda: on_path(version, bazelw),
        "bazelisk from npm": lambda: from_npm(version),
        "Debian's bazel-bootstrap": lambda: from_debian(version, bazelw),
    }
    failures = []
    for name, source in sources.items():
        try:
            return source()
        except BootstrapError as error:
            failures.append(f"  {name}: {error}")
    raise BootstrapError(
        "\n".join([f"Bazel {version} is not available here. Tried:", *failures])
        + f"\nInstall bazelisk, or Bazel {version}, and put it on PATH."
    )


def disk_cache_size(text: str) -> str:
    """Returns a size for Bazel: a number of bytes, or of KiB, MiB, GiB or TiB with K, M, G or T.

    Raises:
        BootstrapError: the text is no such size.
    """
    if not re.fullmatch(r"[1-9]\d*[KMGT]?", text):
        raise BootstrapError(
            f"TFCARVE_DISK_CACHE_SIZE is {text!r}: pass a number of bytes, or a number with K, M, G or T, such as 4G"
        )
    return text


def choice_text(
    choice: Choice, rc: Path, version: str, path_lookup: str, disk_cache_size: str
) -> str:
    """The shell assignments that bazelw reads."""
    lines = [
        f"programs={shlex.quote(' '.join(system_packages.PROGRAMS))}",
        f"libraries={shlex.quote(' '.join(system_packages.LIBRARIES))}",
        f"for_path={shlex.quote(path_lookup)}",
        f"for_disk_cache_size={shlex.quote(disk_cache_size)}",
        f"bazel={shlex.quote(str(choice.bazel))}",
        f"rc={shlex.quote(str(rc))}",
    ]
    if choice.bazelisk:
        lines.append(f"USE_BAZEL_VERSION={shlex.quote(version)}; export USE_BAZEL_VERSION")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the choice file. Exit status 0, or 2 if no Bazel is available."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--on-path", required=True, help="the bazel that the shell found on PATH")
    parser.add_argument("--bazelw", required=True, type=Path)
    parser.add_argument("--disk-cache-size", required=True)
    parser.add_argument("--choice", required=True, type=Path, help="the file to write")
    arguments = parser.parse_args(argv)
    try:
        size = disk_cache_size(arguments.disk_cache_size)
        with locked(arguments.choice):
            system_packages.provide()
            choice = choose(arguments.version, arguments.bazelw)
            rc = arguments.choice.with_suffix(".bazelrc")
            folder = cache_root() / "bazel-disk"
            common = _COMMON_RC.format(disk_cache=folder, disk_cache_size=size)
            write_atomically(rc, choice.rc + common)
            text = choice_text(choice, rc, arguments.version, arguments.on_path, size)
            write_atomically(arguments.choice, text)
    except BootstrapError as error:
        say(str(error))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
