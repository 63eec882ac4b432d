"""The manifest: the facts that a library states about itself."""

import json
from collections.abc import Mapping
from typing import Literal

import msgspec

from tfcarve import __version__, json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.models.signature_def import Signature
from tfcarve.selection.runtime import Runtime
from tfcarve.selection.selection import Selection

VERSION: Literal[1] = 1


class ManifestModel(JsonDocument, frozen=True, omit_defaults=True):
    """A model that the library was carved for.

    Attributes:
      name: its file's name, without the folder.
      sha256: the file's SHA-256.
      signatures: the signatures of a SavedModel or MetaGraph that the library was carved for, by name.
    """

    name: str
    sha256: str
    signatures: Mapping[str, Signature] = {}


class Manifest(JsonDocument, frozen=True):
    """The sources and models that a library was built from.

    Attributes:
      version: VERSION.
      tfcarve: version of the tool.
      tensorflow: version of TensorFlow.
      defines: macros that decided which kernels are registered, sorted.
      models: the models that it was carved for, sorted.
      ops: the ops that it registers for them, sorted.
      runtime: what runs the graphs.
    """

    version: Literal[1]
    tfcarve: str
    tensorflow: str
    defines: tuple[str, ...]
    models: tuple[ManifestModel, ...]
    ops: tuple[str, ...]
    runtime: Runtime

    def to_json(self) -> str:
        """Returns the JSON form on one line of ASCII: it becomes a string in the library."""
        return json.dumps(msgspec.to_builtins(self), ensure_ascii=True, separators=(",", ":"))


def of(selection: Selection) -> Manifest:
    """Returns the manifest of a library that is carved to `selection`."""
    models = {
        (m.path.rpartition("/")[2], m.sha256, tuple(m.signatures)): m.signatures
        for m in selection.models
    }
    return Manifest(
        VERSION,
        __version__,
        selection.tensorflow.version,
        tuple(sorted(selection.tensorflow.defines)),
        tuple(ManifestModel(*key[:2], models[key]) for key in sorted(models)),
        tuple(sorted(op.name for op in selection.ops)),
        selection.runtime,
    )


def parse(data: bytes, where: str) -> Manifest:
    """Reads the content of a library's manifest section.

    Args:
      data: JSON text, followed by zero bytes.
      where: the library's name, for messages.

    Raises:
      InvalidInput: it is no manifest of VERSION.
    """
    try:
        return json_codec.decode(data.rstrip(b"\0"), Manifest, f"{where}: its manifest")
    except InvalidInput as error:
        raise InvalidInput(f"{error}: was the library built by another version?") from None
