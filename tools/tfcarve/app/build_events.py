"""Reads the output files of a build from Bazel's build event file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

# (target, output group) to files, in Bazel's order and without duplicates.
Outputs = Mapping[tuple[str, str], tuple[Path, ...]]


def outputs(lines: Iterable[str]) -> Outputs:
    """The files of each (target, output group) in a `--build_event_json_file`."""
    sets: dict[str, Any] = {}
    groups: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        event = json.loads(line)
        name = event["id"]
        if "namedSet" in name:
            sets[name["namedSet"]["id"]] = event["namedSetOfFiles"]
        elif "targetCompleted" in name and "completed" in event:
            for group in event["completed"].get("outputGroup", []):
                key = (name["targetCompleted"]["label"], group["name"])
                groups.setdefault(key, []).extend(s["id"] for s in group.get("fileSets", []))
    return {key: _files(sets, roots) for key, roots in groups.items()}


def _files(sets: Mapping[str, Any], roots: Iterable[str]) -> tuple[Path, ...]:
    found: dict[Path, None] = {}
    seen: set[str] = set()
    pending = list(reversed(list(roots)))
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for file in sets[key].get("files", []):
            found.setdefault(Path(unquote(urlsplit(file["uri"]).path)))
        pending.extend(s["id"] for s in reversed(sets[key].get("fileSets", [])))
    return tuple(found)
