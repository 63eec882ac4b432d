"""Which sources are compiled for speed instead of size: hot_sources.yaml."""

from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from tfcarve import json_codec
from tfcarve.json_codec import Form
from tfcarve.models import yaml_form

_DATA = Path(__file__).parents[1] / "data" / "hot_sources.yaml"


class Group(Form, frozen=True):
    """Sources with loops of one kind.

    Attributes:
      name: the group's name.
      why: why models spend their time in these sources.
      sources: patterns of paths relative to TensorFlow's root, for fnmatch.
    """

    name: str
    why: str
    sources: tuple[str, ...]


class _Document(Form, frozen=True):
    groups: tuple[Group, ...]


def parse(document: object, where: str) -> tuple[Group, ...]:
    """Returns the groups in `document`; raises InvalidInput if it has another form."""
    return json_codec.convert(document, _Document, where).groups


@cache
def groups() -> tuple[Group, ...]:
    """Returns the groups that are part of tfcarve."""
    return parse(yaml_form.load(_DATA.read_text(encoding="utf-8")), str(_DATA))


def group_of(source: str) -> Group | None:
    """Returns the group of a source, a path relative to TensorFlow's root; None if it is compiled for size."""
    for group in groups():
        if any(fnmatchcase(source, pattern) for pattern in group.sources):
            return group
    return None
