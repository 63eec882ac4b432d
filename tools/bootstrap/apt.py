"""A private apt root that uses the Debian mirror that this machine is configured with.

The system's package lists and state are not changed. apt verifies the mirror's signature and,
through the signed index, the SHA-256 of each download.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from bootstrap.cache import cache_root, locked
from bootstrap.console import BootstrapError, say

_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_LISTS_LAST_SECONDS = 6 * 3600
_TARGET_FORMAT = "$(REPO_URI)|$(LABEL)|$(COMPONENT)"


def debian_mirror(listing: str) -> str:
    """Returns the first mirror of Debian's main archive, not a security or third-party archive.

    Args:
        listing: lines of `_TARGET_FORMAT`, printed by `apt-get indextargets`.

    Raises:
        BootstrapError: no mirror is configured.
    """
    rows = [line.split("|") for line in listing.splitlines() if line.count("|") == 2]
    for uri, label, component in rows:
        if component == "main" and label == "Debian" and "security" not in uri:
            return uri
    # Before the first `apt-get update`, the labels are unknown.
    for uri, label, component in rows:
        if component == "main" and not label.isalpha() and uri.rstrip("/").endswith("/debian"):
            return uri
    raise BootstrapError("no Debian mirror is configured in apt's sources")


class PrivateApt:
    """apt with its own lists and state, for one suite of Debian."""

    def __init__(self, suite: str, sources: bool, architecture: str = "") -> None:
        """Names the suite; nothing is read or downloaded yet.

        Args:
          suite: like "sid".
          sources: True for source packages, False for binary ones.
          architecture: Debian's name, like "arm64"; empty for this machine's.
        """
        self._suite = suite
        self._sources = sources
        self._architecture = architecture
        kind = architecture or ("src" if sources else "bin")
        self._root = cache_root() / "apt" / f"{suite}-{kind}"

    def _options(self) -> list[str]:
        architecture = self._architecture
        foreign = {"APT::Architecture": architecture, "APT::Architectures": architecture}
        settings = {
            **(foreign if architecture else {}),
            "Dir::Etc::SourceList": self._root / "sources.list",
            "Dir::Etc::SourceParts": "-",
            "Dir::State::Lists": self._root / "lists",
            "Dir::State::status": self._root / "status",
            "Dir::Cache": self._root,
            "APT::Sandbox::User": "root",
            "Acquire::Retries": "3",
            "Acquire::Languages": "none",
        }
        return [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]

    def _run(self, command: Sequence[str], cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [command[0], *self._options(), *command[1:]],
            cwd=cwd,
            text=True,
            capture_output=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )

    def refresh(self) -> None:
        """Downloads the package lists unless they are recent.

        Raises:
            BootstrapError: apt-get or a mirror is missing, or the mirror is unreachable.
        """
        if not shutil.which("apt-get"):
            raise BootstrapError("apt-get is missing: this works on Debian only")
        if not _KEYRING.exists():
            raise BootstrapError(
                f"{_KEYRING} is missing; it is in the package debian-archive-keyring"
            )
        with locked(self._root):
            stamp = self._root / "updated"
            if stamp.exists() and time.time() - stamp.stat().st_mtime < _LISTS_LAST_SECONDS:
                return
            for folder in ("lists/partial", "archives/partial"):
                (self._root / folder).mkdir(parents=True, exist_ok=True)
            (self._root / "status").touch()
            listing = subprocess.run(
                ["apt-get", "indextargets", "--format", _TARGET_FORMAT],
                text=True,
                capture_output=True,
            ).stdout
            kind = "deb-src" if self._sources else "deb"
            (self._root / "sources.list").write_text(
                f"{kind} [signed-by={_KEYRING}] {debian_mirror(listing)} {self._suite} main\n"
            )
            say(f"downloading Debian's package lists ({self._suite}, {kind})")
            done = self._run(["apt-get", "-qq", "update"], self._root)
            # apt-get update exits with 0 if a download failed but an old list exists.
            if done.returncode or "Failed to fetch" in done.stderr:
                raise BootstrapError(f"apt-get update failed: {_last_lines(done.stderr)}")
            stamp.touch()

    def download_binaries(self, names: Sequence[str], folder: Path) -> None:
        """Downloads binary packages into `folder`.

        Raises:
            BootstrapError: a download failed.
        """
        done = self._run(["apt-get", "-qq", "download", *names], folder)
        if done.returncode:
            raise BootstrapError(f"apt-get download failed: {_last_lines(done.stderr)}")

    def binary_names(self, root_package: str) -> set[str]:
        """Returns the names of all packages that `root_package` depends on, directly or not."""
        done = self._run(
            ["apt-cache", "depends", "--recurse", "--important", root_package], self._root
        )
        return {
            line.split(":")[-1].strip().strip("<>")
            for line in done.stdout.splitlines()
            if line and not line.startswith("    ")
        }

    def download_source_archive(self, package: str, file: str, folder: Path) -> Path:
        """Downloads the upstream archive of a source package into `folder`.

        apt's exit status is ignored: mirrors sometimes lack the small packaging files, and the
        caller checks the archive's checksum.

        Raises:
            BootstrapError: the archive was not downloaded; has the end of apt's output.
        """
        version = file.split("_", 1)[1].split(".orig", 1)[0]
        listing = self._run(["apt-cache", "showsrc", "--only-source", package], self._root).stdout
        versions = [
            line.split()[1] for line in listing.splitlines() if line.startswith("Version: ")
        ]
        matching = [v for v in versions if v.split(":")[-1].rsplit("-", 1)[0] == version]
        if not matching:
            available = ", ".join(versions) or "none"
            raise BootstrapError(
                f"Debian {self._suite} has no {package} {version}; it has: {available}"
            )
        done = self._run(
            ["apt-get", "-qq", "source", "--download-only", f"{package}={matching[-1]}"], folder
        )
        if not (folder / file).exists():
            raise BootstrapError(f"apt-get source {package} failed: {_last_lines(done.stderr)}")
        return folder / file


def _last_lines(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " / ".join(lines[-3:]) or "no output"
