"""Reads runtime_ops.yaml: the ops that TensorFlow's runtime adds to graphs."""

from functools import cache

from tfcarve import json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.models import yaml_form
from tfcarve.releases.release import Release


class Rule(JsonDocument, frozen=True, kw_only=True):
    """One rule.

    Attributes:
      id: the name of the rule, which selection.json contains.
      ops: the ops that the runtime adds; all their kernels are selected.
      when: the rule applies if a model has one of these ops; empty: always.
      like: an attribute of the nodes of `when`; kernels are selected for its types only; empty: for all types.
      replaced: the runtime replaces the nodes of `when`, so that they need no kernel.
      compiles: sources that the library needs and that are not part of the core.
      source: the place in TensorFlow's sources that adds the ops.
      why: why the runtime adds the ops.
    """

    id: str
    ops: tuple[str, ...]
    when: frozenset[str] = frozenset()
    like: str = ""
    replaced: bool = False
    compiles: tuple[str, ...] = ()
    source: str
    why: str


class _Document(JsonDocument, frozen=True):
    rules: tuple[Rule, ...]


def parse(document: object, where: str) -> tuple[Rule, ...]:
    """Returns the rules in `document`; raises InvalidInput if it has another form."""
    return json_codec.convert(document, _Document, where).rules


@cache
def load(release: Release) -> tuple[Rule, ...]:
    """Returns the rules of a release."""
    file = release.file("runtime_ops.yaml")
    return parse(yaml_form.load(file.read_text(encoding="utf-8")), str(file))
