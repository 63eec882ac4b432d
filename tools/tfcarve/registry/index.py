"""The kernel index: all registrations in a TensorFlow source tree, and its JSON form, index.json."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import msgspec

from tfcarve import json_codec
from tfcarve.json_codec import JsonDocument
from tfcarve.op_definition import Argument, Attr

VERSION = 1


class TensorflowFacts(JsonDocument, frozen=True, omit_defaults=True):
    """The TensorFlow that an index, a selection and a library are for.

    Attributes:
      version: TensorFlow's version.
      tree_sha256: digest of the source tree.
      defines: macros of the compile.
      target: the platform whose predefined macros were used; empty: the host.
    """

    version: str
    tree_sha256: str
    defines: tuple[str, ...]
    target: str = ""


class Registration(JsonDocument, frozen=True, kw_only=True):
    """One kernel registration.

    Attributes:
      op: the op that the kernel computes.
      device: the device type (CPU, GPU, DEFAULT, …).
      constraints: type constraints: the data types that each attribute may have.
      attr_constraints: the other values that each attribute may have.
      label: the value of the node's `_kernel` attribute.
      priority: of several kernels that match, TensorFlow takes the one with the greatest priority.
      host_memory: the arguments in host memory.
      system: the kernel is registered regardless of the selection.
      clazz: the class text as the compiler's `#__VA_ARGS__` gives it.
      file: the source, relative to the tree.
      line: the line of the registration.
    """

    op: str
    device: str
    constraints: Mapping[str, tuple[str, ...]]
    attr_constraints: Mapping[str, tuple[str | int | bool, ...]] = {}
    label: str
    priority: int
    host_memory: tuple[str, ...]
    system: bool
    clazz: str = msgspec.field(name="class")
    file: str
    line: int

    def __hash__(self) -> int:
        return hash((self.op, self.device, self.clazz, self.file, self.line))

    def sort_key(self) -> tuple[Any, ...]:
        """Returns the key by which an index is sorted."""
        return (
            self.op,
            self.device,
            self.label,
            -self.priority,
            tuple(self.constraints.items()),
            str(tuple(self.attr_constraints.items())),
            self.file,
            self.line,
            self.clazz,
        )


class Deprecation(JsonDocument, frozen=True):
    """Graphs of this or a later version (VersionDef.producer) may not have the op, for the reason `why`."""

    version: int
    why: str


class OpDefinition(JsonDocument, frozen=True):
    """One op definition. Attributes, inputs and outputs are in the order of the source."""

    name: str
    file: str
    line: int
    system: bool = False
    stateful: bool = False
    attrs: Mapping[str, Attr] = {}
    inputs: tuple[Argument, ...] = ()
    outputs: tuple[Argument, ...] = ()
    deprecation: Deprecation | None = None


class Gradient(JsonDocument, frozen=True):
    """The gradient function of an op and the ops in its body; `function` is empty for REGISTER_OP_NO_GRADIENT."""

    op: str
    function: str
    file: str
    line: int
    ops: tuple[str, ...] = ()


class Unresolved(JsonDocument, frozen=True):
    """A registration with a part whose value is not known from the sources alone."""

    file: str
    line: int
    why: str


class KernelIndex(JsonDocument, frozen=True, gc=True, dict=True, tag_field="version", tag=VERSION):
    """All registrations in a TensorFlow source tree.

    Attributes:
      tensorflow: the tree.
      registrations: kernel registrations, sorted.
      ops: op definitions, sorted by name.
      gradients: gradient functions, sorted by op.
      helpers: for each source that registers something, the helper sources that it needs to link.
      unresolved: registrations that are not in the index.
    """

    tensorflow: TensorflowFacts
    registrations: tuple[Registration, ...]
    ops: tuple[OpDefinition, ...]
    gradients: tuple[Gradient, ...] = ()
    helpers: Mapping[str, tuple[str, ...]] = {}
    unresolved: tuple[Unresolved, ...] = ()

    @cached_property
    def _op_by_name(self) -> Mapping[str, OpDefinition]:
        return {op.name: op for op in self.ops}

    @cached_property
    def _registrations_by_op(self) -> Mapping[str, tuple[Registration, ...]]:
        found: dict[str, list[Registration]] = {}
        for registration in self.registrations:
            found.setdefault(registration.op, []).append(registration)
        return {op: tuple(registrations) for op, registrations in found.items()}

    def op_names(self) -> tuple[str, ...]:
        """Returns the names of all ops that are defined, sorted."""
        return tuple(sorted(self._op_by_name))

    def op(self, name: str) -> OpDefinition | None:
        """Returns the definition of the op `name`, or None."""
        return self._op_by_name.get(name)

    def registrations_of(self, op: str) -> tuple[Registration, ...]:
        """Returns the registrations of kernels for the op `op`, in the index's order."""
        return self._registrations_by_op.get(op, ())

    def extended(
        self,
        registrations: Iterable[Registration],
        ops: Iterable[OpDefinition],
        unresolved: Iterable[Unresolved],
    ) -> "KernelIndex":
        """Returns this index with more registrations and ops. A new op replaces the op with its name."""
        more = {op.name: op for op in ops}
        return msgspec.structs.replace(
            self,
            registrations=tuple(
                sorted((*self.registrations, *registrations), key=Registration.sort_key)
            ),
            ops=tuple(
                sorted(
                    (*(o for o in self.ops if o.name not in more), *more.values()),
                    key=lambda o: o.name,
                )
            ),
            unresolved=(*self.unresolved, *unresolved),
        )

    def to_json(self) -> bytes:
        """Returns index.json, with one row on each line. Equal indexes give equal bytes."""
        helpers = dict(sorted(self.helpers.items()))
        return json_codec.encode_rows(msgspec.structs.replace(self, helpers=helpers))


def parse(data: bytes, where: str) -> KernelIndex:
    """Reads index.json.

    Args:
      data: the file's content; untrusted.
      where: the file's name, for messages.

    Raises:
      InvalidInput: it is no index, or an index of another version.
    """
    return json_codec.decode_version(
        data, KernelIndex, where, VERSION, "create it again with `tfcarve index`"
    )
