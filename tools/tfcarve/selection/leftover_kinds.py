"""Reads leftover_ops.yaml: the kinds of leftover training nodes, and the optimizers' ops."""

import re
from collections.abc import Sequence
from functools import cache, cached_property

import msgspec
import yaml

from tfcarve import json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.releases.release import Release

_TRAINING = "training"
# Names that need no quotes in a command line.
_PLAIN = re.compile(r"[\w./:,-]+", re.ASCII)


class Kind(JsonDocument, frozen=True, kw_only=True):
    """One kind of leftover.

    Attributes:
      id: its name.
      ends: the ops in which such a part of a graph ends.
      sources: the part reads from one of these; empty: from anything.
      barred: the part reads from none of these.
      after: control dependents of the ends with these ops belong to the part.
      effect: the ends have side effects.
      guarded: the ends may be in a branch of a condition, and test bool values.
      handle: the ends write to the resource that is their first input.
      unread: the part ends in a value without consumers instead of in an op.
      transform: the command lines that remove it, with MODEL, OUTPUTS and other names that a user replaces.
      why: why no output needs it.
    """

    id: str
    ends: frozenset[str]
    sources: frozenset[str] = msgspec.field(name="from", default=frozenset())
    barred: frozenset[str] = msgspec.field(name="never_from", default=frozenset())
    after: frozenset[str] = frozenset()
    effect: bool
    guarded: bool = False
    handle: bool = False
    unread: bool = False
    transform: str
    why: str


class Decoding(JsonDocument, frozen=True):
    """Decoding of the input, which an app could do instead.

    Attributes:
      decoders: ops that decode a file.
      follow: ops that may follow before the model proper begins.
      one: the command line that removes them if one of their tensors, `{list}`, the first output of its node, is read.
      several: the same for other tensors; `{list}` is their names, separated by commas.
    """

    decoders: frozenset[str]
    follow: frozenset[str]
    one: str
    several: str

    def transform(self, tensors: Sequence[str]) -> str:
        """Returns what removes the nodes whose outputs `tensors` the model reads."""
        is_first_output = len(tensors) == 1 and ":" not in tensors[0]
        form = self.one if is_first_output else self.several
        names = ",".join(tensors)
        return form.replace("{list}", names if _PLAIN.fullmatch(names) else repr(names))


class Kinds(JsonDocument, frozen=True, gc=True, dict=True):
    """The content of leftover_ops.yaml.

    Attributes:
      kinds: all kinds, in search order.
      decoding: decoding of the input.
      readers: ops that do not change what they take by reference.
    """

    kinds: tuple[Kind, ...]
    decoding: Decoding
    readers: frozenset[str]

    @cached_property
    def all_ends(self) -> frozenset[str]:
        """The ops in which a part of any kind ends."""
        return frozenset(op for kind in self.kinds for op in kind.ends)

    @cached_property
    def optimizers(self) -> frozenset[str]:
        """The ops by which optimizers change variables."""
        return frozenset(op for kind in self.kinds if kind.id == _TRAINING for op in kind.ends)


def parse(document: object, where: str) -> Kinds:
    """Returns the kinds in `document`; raises InvalidInput if it has another form."""
    return json_codec.convert(document, Kinds, where)


@cache
def load(release: Release) -> Kinds:
    """Returns the kinds of a release."""
    file = release.file("leftover_ops.yaml")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return parse(yaml.load(file.read_bytes(), Loader=loader), str(file))
