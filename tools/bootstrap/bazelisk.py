"""bazelisk from npm, for machines that can reach Bazel's releases."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import shutil
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

from bootstrap import npm
from bootstrap.cache import built_in_place, cache_root
from bootstrap.console import BootstrapError

_PACKAGE = "@bazel/bazelisk@1.28.1"
_FILE = "bazel-bazelisk-1.28.1.tgz"
_SHA512 = "K21x83NXOtd0yb2qzjMES3UV4xEWZ1q1vnXFhADA1u7IoiMVQkJAVQRK3oZ5txpnrGafY15HS+YYr2nmsEP4Tg=="
_RELEASES = "https://releases.bazel.build"
_PROBE_SECONDS = 5


def install(version: str) -> Path:
    """Downloads bazelisk unless it is cached.

    Args:
        version: the version of Bazel that bazelisk will download.

    Returns:
        The path of the program.

    Raises:
        BootstrapError: npm is missing, or Bazel's releases are unreachable.
    """
    if not shutil.which("npm"):
        raise BootstrapError("npm is missing")
    _require_releases(version)
    folder = cache_root() / "bazelisk" / _PACKAGE.rsplit("@", 1)[1]
    with built_in_place(folder) as missing:
        if missing:
            _install(folder)
    return folder / "bazelisk"


def _require_releases(version: str) -> None:
    base = os.environ.get("BAZELISK_BASE_URL") or _RELEASES
    request = urllib.request.Request(f"{base}/{version}/release/index.html", method="HEAD")
    try:
        urllib.request.urlopen(request, timeout=_PROBE_SECONDS).close()
    except urllib.error.HTTPError:
        pass  # The server answered.
    except (OSError, ValueError) as error:
        raise BootstrapError(f"{base} is unreachable ({error})") from None


def _install(folder: Path) -> None:
    archive = npm.pack(_PACKAGE, _FILE, folder)
    if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != _SHA512:
        raise BootstrapError(f"the checksum of {_FILE} is wrong")
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    member = f"package/bazelisk-{platform.system().lower()}_{machine}"
    with tarfile.open(archive) as content:
        try:
            program = content.extractfile(member)
        except KeyError:
            program = None
        if program is None:
            raise BootstrapError(f"{_FILE} does not contain {member}")
        (folder / "bazelisk").write_bytes(program.read())
    (folder / "bazelisk").chmod(0o755)
    archive.unlink()
