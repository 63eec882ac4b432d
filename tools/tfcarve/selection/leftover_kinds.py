"""Reads leftover_ops.yaml: the kinds of leftover training nodes, and the optimizers' ops."""

import re
from collections.abc import Sequence
from functools import cache, cached_property

import msgspec

from tfcarve import json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.models import yaml_form
from tfcarve.releases.release import Release

_TRAINING = "training"
# Names that need no quotes in a command line.
_PLAIN = re.compile(r"[\w./:,-]+", re.ASCII)


class Kind(JsonDocument, frozen=True, kw_only=True):
    """One kind of leftovers: parts of graphs that no output needs.

    Attributes:
      id: its name.
      sinks: the ops of the last nodes of such a part.
      sources: if not empty, the part depends on a node with one of these ops.
      excluded_sources: the part does not depend on a node with one of these ops.
      after: control dependents of the sinks belong to the part if they have one of these ops.
      effect: the sinks have side effects.
      guarded: the sinks may be in a branch of a condition, and test bool values.
      handle: the sinks write to the resource that is their first input.
      unread: instead of sinks: the part is all nodes without side effects that no output depends on.
      transform: the command lines that remove the part, with MODEL, OUTPUTS and other names that a user replaces.
      why: why no output needs the part.
    """

    id: str
    sinks: frozenset[str]
    sources: frozenset[str] = msgspec.field(name="from", default=frozenset())
    excluded_sources: frozenset[str] = msgspec.field(name="never_from", default=frozenset())
    after: frozenset[str] = frozenset()
    effect: bool
    guarded: bool = False
    handle: bool = False
    unread: bool = False
    transform: str
    why: str


class Decoding(JsonDocument, frozen=True):
    """Decoding of the input. An app could decode its input instead.

    Attributes:
      decoders: ops that decode a file.
      follow: ops that may process decoded values before the model proper begins.
      transform_one: the command line that removes the decoding if the model proper reads one of its tensors, and the tensor is
        the first output of its node. `{list}` stands for the tensor's name.
      transform_several: the command line for all other cases. `{list}` stands for the names of the tensors, with commas.
    """

    decoders: frozenset[str]
    follow: frozenset[str]
    transform_one: str
    transform_several: str

    def transform(self, tensors: Sequence[str]) -> str:
        """Returns the command line that removes the decoding if the model proper reads its outputs `tensors`."""
        is_first_output = len(tensors) == 1 and ":" not in tensors[0]
        form = self.transform_one if is_first_output else self.transform_several
        names = ",".join(tensors)
        return form.replace("{list}", names if _PLAIN.fullmatch(names) else repr(names))


class Kinds(JsonDocument, frozen=True, gc=True, dict=True):
    """The content of leftover_ops.yaml.

    Attributes:
      kinds: all kinds, in search order.
      decoding: the ops that decode input.
      readers: ops that only read the variable, table or queue that is their input.
    """

    kinds: tuple[Kind, ...]
    decoding: Decoding
    readers: frozenset[str]

    @cached_property
    def all_sinks(self) -> frozenset[str]:
        """The sinks of all kinds."""
        return frozenset(op for kind in self.kinds for op in kind.sinks)

    @cached_property
    def optimizers(self) -> frozenset[str]:
        """The ops by which optimizers change variables."""
        return frozenset(op for kind in self.kinds if kind.id == _TRAINING for op in kind.sinks)


def parse(document: object, where: str) -> Kinds:
    """Returns the kinds in `document`; raises InvalidInput if it has another form."""
    return json_codec.convert(document, Kinds, where)


@cache
def load(release: Release) -> Kinds:
    """Returns the kinds of a release."""
    file = release.file("leftover_ops.yaml")
    return parse(yaml_form.load(file.read_text(encoding="utf-8")), str(file))
