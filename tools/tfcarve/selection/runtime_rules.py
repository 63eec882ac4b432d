"""Reads runtime_ops.yaml: the ops that TensorFlow's runtime adds by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from tfcarve.errors import InvalidInput
from tfcarve.releases.release import Release

_KEYS = frozenset(("id", "ops", "when", "like", "replaced", "compiles", "source", "why"))


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
      id: its name, as it stands in selection.json.
      ops: what the runtime adds, kernels of all types included.
      when: ops of which one must be in a model for the rule to hold; empty: always.
      like: the attribute of the nodes of `when` whose types the kernels are taken for;
        empty: kernels for all types.
      replaced: the nodes of `when` never run themselves and need no kernel.
      compiles: sources that the library needs besides; they are no part of the core.
      source: the TensorFlow source that the rule was read from.
      why: what adds the ops.
    """

    id: str
    ops: tuple[str, ...]
    when: frozenset[str]
    like: str
    replaced: bool
    compiles: tuple[str, ...]
    source: str
    why: str


def parse(document: Any, where: str) -> tuple[Rule, ...]:
    """Returns the rules in `document`; raises InvalidInput where they are not as they must be."""
    if (
        not isinstance(document, dict)
        or document.keys() != {"rules"}
        or not isinstance(document["rules"], list)
    ):
        raise InvalidInput(f"{where}: a list `rules` was expected and nothing else")
    rules = []
    for row in document["rules"]:
        if (
            not isinstance(row, Mapping)
            or row.keys() - _KEYS
            or not {"id", "ops", "source", "why"} <= row.keys()
        ):
            raise InvalidInput(
                f"{where}: rule {row!r:.80}: keys are {', '.join(sorted(_KEYS))}; id, ops, source and why must be there"
            )
        rules.append(
            Rule(
                row["id"],
                tuple(row["ops"]),
                frozenset(row.get("when", ())),
                row.get("like", ""),
                row.get("replaced", False),
                tuple(row.get("compiles", ())),
                row["source"],
                " ".join(row["why"].split()),
            )
        )
    return tuple(rules)


@cache
def load(release: Release) -> tuple[Rule, ...]:
    """Returns the rules of a release."""
    file = release.file("runtime_ops.yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return parse(yaml.load(file.read_bytes(), Loader=loader), str(file))
