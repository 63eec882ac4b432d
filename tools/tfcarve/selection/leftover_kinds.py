"""Reads leftover_ops.yaml: what models keep from their training, and the optimizers' ops."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tfcarve import json_form
from tfcarve.errors import BadInput

_DATA = Path(__file__).parent / "leftover_ops.yaml"
_FORM = {
    "kinds": [
        {
            "id": str,
            "ends": [str],
            "from": [str],
            "never_from": [str],
            "after": [str],
            "effect": bool,
            "handle": bool,
            "transform": str,
            "why": str,
        }
    ],
    "readers": [str],
}
_TRAINING = "training"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of leftover.

    Attributes:
      id: its name.
      ends: the ops in which such a part of a graph ends.
      sources: the part reads from one of these; empty: from anything.
      barred: it reads from none of these.
      after: ops that may wait for the ends and belong to them.
      effect: what the ends do outlasts a step.
      handle: the ends write into what their first input names.
      transform: what removes it.
      why: why no output needs it.
    """

    id: str
    ends: frozenset[str]
    sources: frozenset[str]
    barred: frozenset[str]
    after: frozenset[str]
    effect: bool
    handle: bool
    transform: str
    why: str


@dataclass(frozen=True, slots=True)
class Kinds:
    """All kinds, in the order in which they are looked for, and the ops that change nothing."""

    kinds: tuple[Kind, ...]
    readers: frozenset[str]

    @property
    def all_ends(self) -> frozenset[str]:
        """The ops in which any kind ends."""
        return frozenset(op for kind in self.kinds for op in kind.ends)

    @property
    def optimizers(self) -> frozenset[str]:
        """The ops by which optimizers change variables."""
        return next(kind.ends for kind in self.kinds if kind.id == _TRAINING)


def parse(document: Any, where: str) -> Kinds:
    """Returns the kinds in `document`; raises BadInput where they are not as they must be."""
    try:
        json_form.check(document, _FORM, where)
        return Kinds(
            tuple(
                Kind(
                    row["id"],
                    frozenset(row["ends"]),
                    frozenset(row.get("from", ())),
                    frozenset(row.get("never_from", ())),
                    frozenset(row.get("after", ())),
                    row["effect"],
                    row.get("handle", False),
                    row["transform"],
                    " ".join(row["why"].split()),
                )
                for row in document["kinds"]
            ),
            frozenset(document["readers"]),
        )
    except (json_form.FormError, KeyError) as error:
        raise BadInput(f"{where}: not as its head says: {error}") from None


@cache
def load() -> Kinds:
    """Returns the kinds that come with tfcarve."""
    return parse(
        yaml.load(_DATA.read_bytes(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)),
        str(_DATA),
    )
