"""Reads a model file as a graph; models that are not frozen are frozen first."""

from pathlib import Path

from tfcarve.models import keras
from tfcarve.models.mapped_file import mapped
from tfcarve.prepare import graph_file
from tfcarve.prepare.freeze import run as freezing
from tfcarve.prepare.graph import Graph

# Suffixes of models that are never frozen.
_UNFROZEN = (*keras.SUFFIXES, ".meta")


def read_source(path: Path) -> Graph:
    """Reads a GraphDef (.pb, .pbtxt), or freezes and reads a SavedModel directory, Keras file or MetaGraphDef.

    Raises InvalidInput, with the file and the fix, if it is none of these, is damaged or cannot be frozen.
    """
    if not path.is_dir() and path.suffix.lower() not in _UNFROZEN:
        return graph_file.read_graph(path)
    with freezing.frozen(path) as done:
        return graph_file.read_graph(done.path)


def source_size(path: Path) -> int:
    """Returns the size of a model's files in bytes; raises InvalidInput if they do not exist."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return len(mapped(path))
