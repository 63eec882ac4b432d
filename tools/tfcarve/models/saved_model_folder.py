"""The folder of a SavedModel: the file with its graph. Source: tensorflow/cc/saved_model/constants.h."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from tfcarve import listing
from tfcarve.errors import InvalidInput
from tfcarve.models import checkpoint_files

GRAPH_FILES = ("saved_model.pb", "saved_model.pbtxt")
_MAX_SEEN = 10_000


def _found(folder: Path) -> Path | None:
    return next((folder / name for name in GRAPH_FILES if (folder / name).is_file()), None)


def _advice(folder: Path) -> str:
    """Returns advice for a folder that is not a SavedModel: the path to pass instead."""
    if _found(folder.parent):
        return f"pass the SavedModel's directory: {folder.parent}"
    entries: Sequence[Path] = sorted(islice(folder.iterdir(), _MAX_SEEN))
    inner = [str(entry) for entry in entries if entry.is_dir() and _found(entry)]
    if inner:
        return f"pass a SavedModel in it: {listing.first(inner)}"
    if any(checkpoint_files.is_index(entry) for entry in entries):
        return f"it has a checkpoint: pass the graph, GRAPH.pb or .meta, and --checkpoint {folder}"
    return "pass a file or a SavedModel directory"


def graph_file(folder: Path) -> Path:
    """Returns the file with the graph of a SavedModel.

    Raises:
      InvalidInput: the folder is not a SavedModel.
    """
    found = _found(folder)
    if found:
        return found
    try:
        advice = _advice(folder)
    except OSError as error:
        raise InvalidInput(f"{folder}: cannot be read: {error.strerror}") from None
    raise InvalidInput(f"{folder}: is a directory without {' or '.join(GRAPH_FILES)}: {advice}")
