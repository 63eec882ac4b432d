"""Hot sources: the sources that are compiled for speed (-O2) rather than for size. Source: data/hot_sources.yaml."""

from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from tfcarve import json_codec
from tfcarve.json_codec import Form
from tfcarve.models import yaml_form

_DATA = Path(__file__).parents[1] / "data" / "hot_sources.yaml"


class Group(Form, frozen=True):
    """Sources with the same kind of loops.

    Attributes:
      name: the group's name.
      why: why models spend their time in these sources.
      sources: fnmatch patterns of paths relative to TensorFlow's root.
    """

    name: str
    why: str
    sources: tuple[str, ...]


class _Document(Form, frozen=True):
    groups: tuple[Group, ...]


def parse(document: object, where: str) -> tuple[Group, ...]:
    """Returns the groups of a document that yaml_form.load returned; raises InvalidInput if its form is wrong."""
    return json_codec.convert(document, _Document, where).groups


@cache
def groups() -> tuple[Group, ...]:
    """Returns the groups of tfcarve's own table."""
    return parse(yaml_form.load(_DATA.read_text(encoding="utf-8")), str(_DATA))


def group_of(source: str) -> Group | None:
    """Returns the group of a source, or None if the source is compiled for size.

    Args:
      source: a path relative to TensorFlow's root.
    """
    for group in groups():
        if any(fnmatchcase(source, pattern) for pattern in group.sources):
            return group
    return None
