"""Reads runtime_ops.yaml: the ops that TensorFlow's runtime adds to graphs."""

from functools import cache
from pathlib import Path

import yaml

from tfcarve import json_codec
from tfcarve.json_codec import Form

_DATA = Path(__file__).parent / "runtime_ops.yaml"


class Rule(Form, frozen=True, kw_only=True):
    """One rule.

    Attributes:
      id: its name, as in selection.json.
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


class _Document(Form, frozen=True):
    rules: tuple[Rule, ...]


def parse(document: object, where: str) -> tuple[Rule, ...]:
    """Returns the rules in `document`; raises InvalidInput if it has another form."""
    return json_codec.convert(document, _Document, where).rules


@cache
def load() -> tuple[Rule, ...]:
    """Returns the rules that are part of tfcarve."""
    return parse(
        yaml.load(_DATA.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)),
        str(_DATA),
    )
