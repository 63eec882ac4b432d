"""The sources that are compiled for speed instead of size: hot_sources.yaml."""

from fnmatch import fnmatchcase
from functools import cache

from tfcarve import json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.models import yaml_form
from tfcarve.releases.release import Release


class Group(JsonDocument, frozen=True):
    """Sources with loops of one kind.

    Attributes:
      name: the group's name.
      why: why models spend their time in these sources.
      sources: patterns of paths relative to TensorFlow's root, for fnmatch.
    """

    name: str
    why: str
    sources: tuple[str, ...]


class _Document(JsonDocument, frozen=True):
    groups: tuple[Group, ...]


def parse(document: object, where: str) -> tuple[Group, ...]:
    """Returns the groups in `document`; raises InvalidInput if it has another form."""
    return json_codec.convert(document, _Document, where).groups


@cache
def groups(release: Release) -> tuple[Group, ...]:
    """Returns the groups of a release."""
    file = release.file("hot_sources.yaml")
    return parse(yaml_form.load(file.read_text(encoding="utf-8")), str(file))


def group_of(source: str, release: Release) -> Group | None:
    """Returns the group of a source, a path relative to TensorFlow's root; None if it is compiled for size."""
    for group in groups(release):
        if any(fnmatchcase(source, pattern) for pattern in group.sources):
            return group
    return None
