"""The pinned sources of a TensorFlow release (pins.json), as values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bootstrap.console import BootstrapError


@dataclass(frozen=True)
class Archive:
    """An archive that contains a source.

    Attributes:
        file: its file name.
        sha256: its checksum.
        strip_prefix: the folder in it that becomes the root.
        details: the keys of its kind (urls; suite and package; npm's package; pip's requirement).
    """

    file: str
    sha256: str
    strip_prefix: str
    details: Mapping[str, Any]


@dataclass(frozen=True)
class Pin:
    """A source and the archives that contain it.

    Attributes:
        name: its key in the data file.
        version: upstream's version.
        archives: by kind ("upstream", "debian", "npm", "wheel").
        only: the folders to unpack; empty for all.
        moved: folders that get another place in the tree, by their place in the archive.
    """

    name: str
    version: str
    archives: Mapping[str, Archive]
    only: tuple[str, ...]
    moved: Mapping[str, str] = field(default_factory=dict)


def _archive(way: str, data: Mapping[str, Any]) -> Archive:
    file = data["urls"][0].rsplit("/", 1)[1] if way == "upstream" else data["file"]
    details = {k: v for k, v in data.items() if k not in ("file", "sha256", "strip_prefix")}
    return Archive(file, data["sha256"], data["strip_prefix"], details)


def read_pin(pins_file: Path, name: str) -> Pin:
    """Reads one pin.

    Raises:
        BootstrapError: the pin does not exist or has an unknown key.
    """
    pins = json.loads(pins_file.read_text())
    if name not in pins:
        raise BootstrapError(f"{pins_file} has no {name}; it has: {', '.join(sorted(pins))}")
    data = dict(pins[name])
    ways = ("upstream", "debian", "npm", "wheel")
    archives = {way: _archive(way, data.pop(way)) for way in ways if way in data}
    pin = Pin(
        name=name,
        version=data.pop("version"),
        archives=archives,
        only=tuple(data.pop("only", ())),
        moved=dict(data.pop("moved", {})),
    )
    if data:
        raise BootstrapError(f"{pins_file}: {name} has unknown keys: {', '.join(sorted(data))}")
    return pin
