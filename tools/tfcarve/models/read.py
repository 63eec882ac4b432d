"""Reads a model of any kind: looks at what it is, hands it to its reader."""

import hashlib
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tfcarve.errors import BadInput
from tfcarve.models import graph_def, wire
from tfcarve.models.node_use import Model
from tfcarve.models.wire import Buffer


@contextmanager
def mapped(path: Path) -> Iterator[Buffer]:
    """Gives the content of `path` without reading what is not looked at.

    Raises BadInput where it can't be read or is empty.
    """
    try:
        with path.open("rb") as stream:
            if path.stat().st_size == 0:
                raise BadInput(f"{path}: is empty: a model was expected")
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                yield data
    except FileNotFoundError:
        raise BadInput(f"{path}: no such file: give a model") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a directory: give a file or a SavedModel's directory") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None


def _looks_like_text(data: Buffer) -> bool:
    head = bytes(data[:512])
    return all(byte >= 0x20 or byte in b"\t\n\r" for byte in head)


def _digest(data: Buffer) -> str:
    return hashlib.sha256(data).hexdigest()


def _graph(path: Path, name: str) -> Model:
    with mapped(path) as data:
        try:
            nodes, functions = graph_def.graph(data, 0, len(data), name)
        except wire.WireError as error:
            if _looks_like_text(data):
                raise BadInput(
                    f"{path}: is text, no binary GraphDef: name it .pbtxt where it is one in text form"
                ) from None
            raise BadInput(f"{path}: {error}") from None
        if not nodes:
            raise BadInput(f"{path}: a graph with no nodes: give the frozen model")
        return Model(name, _digest(data), "graphdef", tuple(nodes), frozenset(functions))


def read(path: Path) -> Model:
    """Reads the model at `path`.

    Raises BadInput, with the file, the place and what would be right, where it
    is no model that can be read.
    """
    name = str(path)
    if path.is_dir():
        raise BadInput(f"{path}: is a directory, but no SavedModel (saved_model.pb is not there)")
    return _graph(path, name)
