"""What a library says of itself: a frozen value and its JSON form. Pure."""

import json
from dataclasses import dataclass

from tfcarve import __version__, json_form
from tfcarve.errors import InvalidInput
from tfcarve.selection.selection import Selection

VERSION = 1
_FORM = {
    "version": int,
    "tfcarve": str,
    "tensorflow": str,
    "defines": [str],
    "models": [{"name": str, "sha256": str}],
    "ops": [str],
}


@dataclass(frozen=True, slots=True, order=True)
class ManifestModel:
    """A model that the library was carved for: its file's name, without the folder, and its SHA-256."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a library was made by and for.

    Attributes:
      tfcarve: version of the tool.
      tensorflow: version of TensorFlow.
      defines: macros that decided what is registered, sorted.
      models: those that it was carved for, sorted.
      ops: those that it registers for them, sorted.
    """

    tfcarve: str
    tensorflow: str
    defines: tuple[str, ...]
    models: tuple[ManifestModel, ...]
    ops: tuple[str, ...]

    def to_json(self) -> str:
        """Returns the JSON form, on one line: it becomes a part of the library."""
        document = {
            "version": VERSION,
            "tfcarve": self.tfcarve,
            "tensorflow": self.tensorflow,
            "defines": list(self.defines),
            "models": [{"name": m.name, "sha256": m.sha256} for m in self.models],
            "ops": list(self.ops),
        }
        return json.dumps(document, ensure_ascii=True, separators=(",", ":"))


def of(selection: Selection) -> Manifest:
    """Returns the manifest of a library that is carved to `selection`."""
    models = {ManifestModel(m.path.rpartition("/")[2], m.sha256) for m in selection.models}
    return Manifest(
        __version__,
        selection.tensorflow.version,
        tuple(sorted(selection.tensorflow.defines)),
        tuple(sorted(models)),
        tuple(sorted(op.name for op in selection.ops)),
    )


def parse(data: bytes, where: str) -> Manifest:
    """Reads the content of a library's manifest section.

    Args:
      data: JSON text, ended by zero bytes.
      where: the library's name, for messages.
    Raises InvalidInput where it is no manifest of this version.
    """
    try:
        document = json_form.loads(data.rstrip(b"\0"))
        json_form.check(document, _FORM, "manifest")
        if document.keys() != _FORM.keys() or document["version"] != VERSION:
            raise InvalidInput(f"{where}: its manifest is of another tfcarve: use that to read it")
        return Manifest(
            document["tfcarve"],
            document["tensorflow"],
            tuple(document["defines"]),
            tuple(ManifestModel(m["name"], m["sha256"]) for m in document["models"]),
            tuple(document["ops"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{where}: its manifest cannot be read: {error}") from None
