"""What a person must decide about a new release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from new_release import overrides as states
from new_release.overrides import Compared
from new_release.pins import Pin
from new_release.places import Place


@dataclass(frozen=True)
class Difference:
    """Sources that only one of two releases has, by path in the new release.

    Attributes:
      added: of the new release.
      removed: of the older one.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]


def text(
    places: Mapping[str, Iterable[Place]],
    registering: Difference,
    overrides: Iterable[Compared],
    own_pins: Mapping[str, str],
    pins: Mapping[str, Pin],
) -> str:
    """Returns the report.

    Args:
      places: where the paths of each list of release.toml are, by the list.
      registering: the sources of the core that register something.
      overrides: compared with the tree.
      own_pins: the version of each third-party source that the older release has.
      pins: the third-party sources that the tree's own build downloads.
    """
    parts = (
        _places(places),
        _registering(registering),
        _overrides(list(overrides)),
        _pins(own_pins, pins),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _places(places: Mapping[str, Iterable[Place]]) -> list[str]:
    found = [(name, place) for name, of_list in places.items() for place in of_list]
    kept = sum(place.new == place.old for _, place in found)
    moved = [(name, place) for name, place in found if place.new not in (None, place.old)]
    absent = [(name, place) for name, place in found if place.new is None]
    lines = [f"paths of release.toml: {kept} as before, {len(moved)} moved, {len(absent)} absent"]
    lines += [f"  moved   {place.old} -> {place.new}" for _, place in moved]
    for name, place in absent:
        hint = (
            f"; files with this name: {', '.join(place.suggestions)}" if place.suggestions else ""
        )
        lines.append(f"  absent  {place.old} ({name}){hint}")
    return lines


def _registering(found: Difference) -> list[str]:
    """A library keeps each source that registers something, and all that the source refers to."""
    lines = [
        f"sources of the core that register something: {len(found.added)} added, {len(found.removed)} removed"
    ]
    lines += [
        f"  added    {path}: core.on_demand, unless every library needs it" for path in found.added
    ]
    return lines + [f"  removed  {path}" for path in found.removed]


def _overrides(overrides: list[Compared]) -> list[str]:
    count = Counter(one.state for one in overrides)
    counted = ", ".join(f"{count[state]} {state}" for state in sorted(count))
    lines = [f"overrides: {counted}"]
    for one in overrides:
        if one.state == states.UNCHANGED:
            continue
        changed_lines = f", {one.lines} lines" if one.state == states.CHANGED else ""
        lines.append(f"  {one.state}{changed_lines}: {one.path or one.override.path}")
        if one.digest:
            lines.append(f'    after the review: replaces = "{one.digest}"')
    return lines


def _pins(own: Mapping[str, str], pins: Mapping[str, Pin]) -> list[str]:
    lines = ["third-party sources, as pinned for the older release and by TensorFlow's own build:"]
    for name, version in sorted(own.items()):
        theirs = pins.get(name)
        archive = f"{theirs.url} sha256 {theirs.sha256}" if theirs else "not downloaded"
        lines.append(f"  {name} {version}: {archive}")
    return lines
