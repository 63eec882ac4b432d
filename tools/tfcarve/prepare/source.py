"""The one place where a model that a user names becomes a graph."""

from pathlib import Path

from tfcarve.models import keras
from tfcarve.models.mapped_file import mapped
from tfcarve.prepare import graph_file
from tfcarve.prepare.freeze import run as freezing
from tfcarve.prepare.graph import Graph

# What can only be a model that is not frozen.
_UNFROZEN = (*keras.SUFFIXES, ".meta")


def read_source(path: Path) -> Graph:
    """Reads a GraphDef, .pb or .pbtxt, or freezes a SavedModel's directory, a Keras file or a MetaGraphDef.

    Raises InvalidInput, with the file and the fix, where it is none of these, damaged or cannot be frozen.
    """
    if not path.is_dir() and path.suffix.lower() not in _UNFROZEN:
        return graph_file.read_graph(path)
    with freezing.frozen(path) as done:
        return graph_file.read_graph(done.path)


def source_size(path: Path) -> int:
    """Returns the bytes of a model's files; raises InvalidInput where there is none."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return len(mapped(path))
