"""Which sources are compiled for speed and not for size: hot_sources.yaml."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from tfcarve import json_form
from tfcarve.errors import InvalidInput
from tfcarve.models import yaml_form
from tfcarve.releases.release import Release

_FORM = {"groups": [{"name": str, "why": str, "sources": [str]}]}


@dataclass(frozen=True, slots=True)
class Group:
    """Sources with the same kind of loops.

    Attributes:
      name: of the group.
      why: why models spend their time there.
      sources: patterns of paths from TensorFlow's root, as fnmatch has them.
    """

    name: str
    why: str
    sources: tuple[str, ...]


def parse(document: Any, where: str) -> tuple[Group, ...]:
    """Returns the groups in `document`; raises InvalidInput where they are not as they must be."""
    try:
        json_form.check(document, _FORM, where)
        return tuple(
            Group(row["name"], " ".join(row["why"].split()), tuple(row["sources"]))
            for row in document["groups"]
        )
    except (json_form.FormError, KeyError) as error:
        raise InvalidInput(f"{where}: not as its head says: {error}") from None


@cache
def groups(release: Release) -> tuple[Group, ...]:
    """Returns the groups of a release."""
    file = release.file("hot_sources.yaml")
    return parse(yaml_form.load(file.read_text(encoding="utf-8")), str(file))


def group_of(source: str, release: Release) -> Group | None:
    """Returns the group of a source, a path from TensorFlow's root; None if it is compiled for size."""
    for group in groups(release):
        if any(fnmatchcase(source, pattern) for pattern in group.sources):
            return group
    return None
