"""Reads leftover_ops.yaml: what models keep from their training, and the optimizers' ops."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from tfcarve import json_form
from tfcarve.errors import InvalidInput
from tfcarve.releases.release import Release

_FORM = {
    "kinds": [
        {
            "id": str,
            "ends": [str],
            "from": [str],
            "never_from": [str],
            "after": [str],
            "effect": bool,
            "guarded": bool,
            "unread": bool,
            "handle": bool,
            "transform": str,
            "why": str,
        }
    ],
    "decoding": {"decoders": [str], "follow": [str], "one": str, "several": str},
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
      guarded: the ends may stand in a branch of a condition, and test truth values.
      handle: the ends write into what their first input names.
      unread: the part ends where nobody reads a value, instead of in an op.
      transform: what removes it.
      why: why no output needs it.
    """

    id: str
    ends: frozenset[str]
    sources: frozenset[str]
    barred: frozenset[str]
    after: frozenset[str]
    effect: bool
    guarded: bool
    handle: bool
    unread: bool
    transform: str
    why: str


@dataclass(frozen=True, slots=True)
class Decoding:
    """Decoding of the input, which an app could do itself.

    Attributes:
      decoders: ops that turn a file's bytes into numbers.
      follow: ops that may follow before the model proper begins.
      one: what removes them where one tensor of theirs is read, `{tensors}`.
      several: the same for more tensors.
    """

    decoders: frozenset[str]
    follow: frozenset[str]
    one: str
    several: str

    def transform(self, tensors: Sequence[str]) -> str:
        """Returns what removes the nodes of which the model reads `tensors`."""
        form = self.one if len(tensors) == 1 else self.several
        return " ".join(form.split()).replace("{tensors}", ", ".join(map(repr, tensors)))


@dataclass(frozen=True, slots=True)
class Kinds:
    """What leftover_ops.yaml says.

    Attributes:
      kinds: all kinds, in the order in which they are looked for.
      decoding: decoding of the input.
      readers: ops that change nothing of what they take by reference.
      all_ends: the ops in which any kind ends.
      optimizers: the ops by which optimizers change variables.
    """

    kinds: tuple[Kind, ...]
    decoding: Decoding
    readers: frozenset[str]
    all_ends: frozenset[str]
    optimizers: frozenset[str]


def parse(document: Any, where: str) -> Kinds:
    """Returns the kinds in `document`; raises InvalidInput where they are not as they must be."""
    try:
        json_form.check(document, _FORM, where)
        kinds = tuple(
            Kind(
                row["id"],
                frozenset(row["ends"]),
                frozenset(row.get("from", ())),
                frozenset(row.get("never_from", ())),
                frozenset(row.get("after", ())),
                row["effect"],
                row.get("guarded", False),
                row.get("handle", False),
                row.get("unread", False),
                row["transform"],
                " ".join(row["why"].split()),
            )
            for row in document["kinds"]
        )
        decoding = document["decoding"]
        return Kinds(
            kinds,
            Decoding(
                frozenset(decoding["decoders"]),
                frozenset(decoding["follow"]),
                decoding["one"],
                decoding["several"],
            ),
            frozenset(document["readers"]),
            frozenset(op for kind in kinds for op in kind.ends),
            frozenset(op for kind in kinds if kind.id == _TRAINING for op in kind.ends),
        )
    except (json_form.FormError, KeyError) as error:
        raise InvalidInput(f"{where}: not as its head says: {error}") from None


@cache
def load(release: Release) -> Kinds:
    """Returns the kinds of a release."""
    file = release.file("leftover_ops.yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return parse(yaml.load(file.read_bytes(), Loader=loader), str(file))
