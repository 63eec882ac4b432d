"""A selection: the parts of TensorFlow that a set of models needs, and its JSON form, selection.json."""

from collections.abc import Mapping

import msgspec

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.models.signature_def import Signature
from tfcarve.registry.index import TensorflowFacts
from tfcarve.selection.need import Need
from tfcarve.selection.runtime import Runtime, SessionReason

VERSION = 1
# The op that calls gradient functions.
GRADIENT_OP = "SymbolicGradient"


class ModelFacts(JsonDocument, frozen=True):
    """A model file, its format, and the signatures that were selected from a SavedModel or MetaGraph, by name."""

    path: str
    sha256: str
    format: str
    signatures: Mapping[str, Signature] = {}


class SelectedOp(JsonDocument, frozen=True, kw_only=True):
    """An op whose definition must be registered, the file that registers it, and the nodes that need it."""

    name: str
    file: str
    system: bool = False
    needed_by: tuple[Need, ...]


class SelectedKernel(JsonDocument, frozen=True, kw_only=True):
    """A kernel that must be registered.

    Attributes:
      op: the op.
      clazz: the class text.
      file: the source that registers it.
      constraints: its type constraints.
      label: its label.
      system: the kernel is registered whenever its file is compiled.
      needed_by: the nodes that need it.
      why: why these nodes get this kernel and no other one.
    """

    op: str
    clazz: str = msgspec.field(name="class")
    file: str
    constraints: Mapping[str, tuple[str, ...]]
    label: str = ""
    system: bool = False
    needed_by: tuple[Need, ...]
    why: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return hash((self.op, self.clazz, self.file, self.label))


class RuntimeOp(JsonDocument, frozen=True, order=True):
    """An op that the runtime adds, and the rule in runtime_ops.yaml that says so."""

    op: str
    rule: str


class Leftover(JsonDocument, frozen=True, order=True):
    """Nodes of an op that are left over from training, all of one kind in leftover_ops.yaml.

    Attributes:
      kind: the kind.
      op: the op.
      alone: nothing else needs the op: without these nodes it is not selected.
      transform: the command lines that remove the nodes.
      needed_by: the nodes.
    """

    kind: str
    op: str
    alone: bool
    transform: str
    needed_by: tuple[Need, ...]


class Selection(JsonDocument, frozen=True, tag_field="version", tag=VERSION):
    """The parts of TensorFlow that a set of models needs.

    Attributes:
      tensorflow: the source tree.
      models: the models, sorted.
      ops: the op definitions, sorted by name.
      kernels: the kernels, sorted by op and class.
      files: the sources that register them, sorted.
      helpers: the sources that must be linked with `files`, sorted.
      helpers_of: the helpers of each source in `files` that needs some.
      added_by_runtime: the ops that no model names.
      leftovers: the nodes that are left over from training.
      gradient_files: the sources among `files` that register gradients. TensorFlow registers gradients if the op
        SymbolicGradient is registered.
      runtime: what runs the graphs of the models.
      session_reasons: why it is TensorFlow's session, if it is.
      control_flow: whether plans run functions or loops of the models.
    """

    tensorflow: TensorflowFacts
    models: tuple[ModelFacts, ...]
    ops: tuple[SelectedOp, ...]
    kernels: tuple[SelectedKernel, ...]
    files: tuple[str, ...]
    helpers: tuple[str, ...] = ()
    helpers_of: Mapping[str, tuple[str, ...]] = {}
    added_by_runtime: tuple[RuntimeOp, ...] = ()
    leftovers: tuple[Leftover, ...] = ()
    gradient_files: tuple[str, ...] = ()
    runtime: Runtime = "session"
    session_reasons: tuple[SessionReason, ...] = ()
    control_flow: bool = False

    def __hash__(self) -> int:
        models = tuple((model.path, model.sha256) for model in self.models)
        return hash((self.tensorflow, models, self.kernels, self.files))

    def classes_by_file(self) -> dict[str, tuple[str, ...]]:
        """Returns, for each file, the kernel classes to list for it, without system kernels."""
        found: dict[str, set[str]] = {f: set() for f in self.files}
        for kernel in self.kernels:
            if not kernel.system:
                found[kernel.file].add(kernel.clazz)
        return {file: tuple(sorted(classes)) for file, classes in sorted(found.items())}

    def ops_by_file(self) -> dict[str, tuple[str, ...]]:
        """Returns, for each file, the ops to list for it: the ops that it defines and the ops that its kernels compute."""
        found: dict[str, set[str]] = {f: set() for f in self.files}
        for op in self.ops:
            if not op.system:
                found[op.file].add(op.name)
        for kernel in self.kernels:
            if not kernel.system:
                found[kernel.file].add(kernel.op)
        for file in self.gradient_files:
            found[file].add(GRADIENT_OP)
        return {file: tuple(sorted(names)) for file, names in sorted(found.items())}

    def to_json(self) -> bytes:
        """Returns selection.json. Equal selections give equal bytes."""
        return json_codec.encode(self)


def parse(data: bytes, where: str) -> Selection:
    """Reads selection.json.

    Args:
      data: the file's content; untrusted.
      where: the file's name, for messages.

    Raises:
      InvalidInput: it is no selection, a selection of another version, or inconsistent.
    """
    selection = json_codec.decode_version(
        data, Selection, where, VERSION, "create it again with `tfcarve select`"
    )
    used = {o.file for o in selection.ops} | {k.file for k in selection.kernels}
    unlisted = used.union(selection.gradient_files).difference(selection.files)
    if unlisted:
        raise InvalidInput(
            f'{where}: {min(unlisted)} is needed but not in "files": create it again with `tfcarve select`'
        )
    return selection
