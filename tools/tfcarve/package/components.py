"""The third-party sources that a library is made of: which ones it contains, their versions and licenses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import msgspec

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.releases.release import Release
from tfcarve.size.report import Report

_ORIGIN = "tfcarve_source.json"
_THIRD_PARTY = "third party"


class Facts(JsonDocument, frozen=True):
    """A table of components.toml, which describes the keys."""

    title: str
    license: str
    objects: tuple[str, ...] = ()
    namespace: str = ""
    always: bool = False
    cpe: str = ""


class _Origin(JsonDocument, frozen=True):
    """tfcarve_source.json: the archive that a source was unpacked from."""

    name: str
    version: str
    archive: str
    sha256: str


class _Upstream(msgspec.Struct, frozen=True):
    urls: tuple[str, ...]
    sha256: str


class _Pin(msgspec.Struct, frozen=True):
    """The keys of a pin that count here; bootstrap.pins reads the others."""

    version: str
    upstream: _Upstream | None = None


@dataclass(frozen=True)
class Component:
    """A source that is part of a library.

    Attributes:
      name: its key in components.toml.
      facts: its title and its license.
      version: upstream's version.
      upstream: the URL of upstream's archive; "" if none is pinned.
      is_upstream: whether this archive was used.
      archive: the file name of the archive that was used; "" for a folder of the user.
      sha256: the checksum of this archive; "" for a folder.
      linked: whether the library has objects of it, not only code from its headers.
      texts: the license, by file name.
    """

    name: str
    facts: Facts
    version: str
    upstream: str
    is_upstream: bool
    archive: str
    sha256: str
    linked: bool
    texts: Mapping[str, bytes]


def facts(release: Release) -> dict[str, Facts]:
    """Returns the tables of components.toml by their names."""
    file = release.folder.parent / "components.toml"
    return msgspec.toml.decode(file.read_bytes(), type=dict[str, Facts])


def of_library(
    release: Release, report: Report, origins: Mapping[str, Sequence[Path]]
) -> list[Component]:
    """Returns the components of a library.

    Args:
      release: the TensorFlow release.
      report: the size report, which has the objects of the library.
      origins: for each source, the files of its `origin` (rules/private/sources/origin.bzl).

    Raises:
      InvalidInput: the library has objects of a source that components.toml does not have.
    """
    known = facts(release)
    pins = json_codec.decode(
        release.file("pins.json").read_bytes(), dict[str, _Pin], str(release.file("pins.json"))
    )
    linked = _linked(known, report)
    symbols = {entry.symbol for entry in report.entries}
    return [
        _component(name, row, pins[name], origins.get(name, ()), linked=name in linked)
        for name, row in sorted(known.items())
        if name in linked or row.always or _uses(row.namespace, symbols)
    ]


def _linked(known: Mapping[str, Facts], report: Report) -> set[str]:
    """The sources with objects in a library."""
    of_object = {name: key for key, row in known.items() for name in row.objects or (key,)}
    names = {
        PurePath(entry.file.partition(":")[0]).parts[0]
        for entry in report.entries
        if entry.part == _THIRD_PARTY
    }
    unknown = sorted(names - of_object.keys())
    if unknown:
        raise InvalidInput(
            f"the library has objects of {', '.join(unknown)}, which "
            "third_party/tensorflow/releases/components.toml does not have: add a table with the license"
        )
    # TensorFlow is not a part of the report: the core and the kernels are.
    return {of_object[name] for name in names} | {"tensorflow"}


def _uses(namespace: str, symbols: Collection[str]) -> bool:
    return bool(namespace) and any(f"{namespace}::" in symbol for symbol in symbols)


def _component(
    name: str, row: Facts, pin: _Pin, files: Iterable[Path], *, linked: bool
) -> Component:
    texts = {file.name: file.read_bytes() for file in files}
    data = texts.pop(_ORIGIN, None)
    origin = json_codec.decode(data, _Origin, f"{name}/{_ORIGIN}") if data else None
    upstream = pin.upstream
    return Component(
        name=name,
        facts=row,
        version=origin.version if origin else pin.version,
        upstream=upstream.urls[0] if upstream else "",
        is_upstream=bool(upstream and origin and origin.sha256 == upstream.sha256),
        archive=origin.archive if origin else "",
        sha256=origin.sha256 if origin else "",
        linked=linked,
        texts=texts,
    )
