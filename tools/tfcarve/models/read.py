"""Reads a model of any kind: looks at what it is, hands it to its reader."""

import codecs
import hashlib
import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tfcarve.errors import BadInput
from tfcarve.models import graph_def, graph_text, meta_graph, ops_list, text_format, tflite, wire
from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.wire import Buffer

# All ops and kernel classes of TensorFlow are a fifth of this.
_LONGEST_LIST = 4 << 20
_READERS = ".pb, .pbtxt, .meta, .tflite, .json, .yaml or a SavedModel's directory"


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
        raise BadInput(f"{path}: no such file: give a model ({_READERS})") from None
    except IsADirectoryError:
        raise BadInput(f"{path}: is a directory: give a file or a SavedModel's directory") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None


def _looks_like_text(data: Buffer) -> bool:
    head = bytes(data[:512])
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return all(byte >= 0x20 or byte in b"\t\n\r" for byte in head)


def _digest(path: Path) -> str:
    # Read, not mapped: what is read leaves the memory again.
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _list_text(path: Path, data: Buffer) -> str:
    if len(data) > _LONGEST_LIST:
        raise BadInput(
            f"{path}: {len(data)} bytes: an ops list has at most {_LONGEST_LIST}: give the model itself"
        )
    return _text(path, data)


def _text(path: Path, data: Buffer) -> str:
    try:
        return bytes(data[:]).decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: byte {error.start}: no UTF-8 text") from None


def _chosen(
    path: Path, found: Sequence[tuple[tuple[str, ...], object]], tags: Sequence[str]
) -> list[object]:
    """Returns the graphs of `found` with all of `tags`."""
    chosen = [graph for has, graph in found if set(tags) <= set(has)]
    if not chosen:
        has_tags = "; ".join(", ".join(t) or "no tags" for t, _ in found) or "no graphs at all"
        raise BadInput(
            f"{path}: no graph with the tags {', '.join(tags) or '(any)'}: it has {has_tags}"
        )
    return chosen


def _binary(path: Path, name: str, data: Buffer, kind: str, tags: Sequence[str]) -> Model:
    nodes: list[NodeUse] = []
    functions: set[str] = set()
    try:
        if kind == "graphdef":
            places = [(0, len(data))]
        else:
            found = (
                meta_graph.saved_model(data)
                if kind == "saved_model"
                else meta_graph.meta_graph(data, 0, len(data))
            )
            listed = [(t, (a, b)) for t, a, b in found]
            places = [(p[0], p[1]) for p in _chosen(path, listed, tags) if isinstance(p, tuple)]
        for place, end in places:
            of_graph, names = graph_def.graph(data, place, end, name)
            nodes += of_graph
            functions.update(names)
    except wire.WireError as error:
        if _looks_like_text(data):
            raise BadInput(
                f"{path}: is text, no binary {kind}: name it .pbtxt where it is one in text form"
            ) from None
        raise BadInput(f"{path}: {error}") from None
    return Model(name, _digest(path), kind, tuple(nodes), frozenset(functions))


def _pbtxt(path: Path, name: str, data: Buffer, tags: Sequence[str]) -> Model:
    try:
        kind, found = graph_text.graphs(graph_text.parse(_text(path, data)))
        nodes: list[NodeUse] = []
        functions: set[str] = set()
        for message in _chosen(path, found, tags if kind != "graphdef" else ()):
            if isinstance(message, text_format.Message):
                of_graph, names = graph_text.graph(message, name)
                nodes += of_graph
                functions.update(names)
    except text_format.TextError as error:
        raise BadInput(f"{path}: {error}") from None
    return Model(name, _digest(path), f"{kind}-text", tuple(nodes), frozenset(functions))


def _saved_model_file(path: Path) -> Path:
    for name in ("saved_model.pb", "saved_model.pbtxt"):
        if (path / name).is_file():
            return path / name
    raise BadInput(
        f"{path}: is a directory without saved_model.pb or saved_model.pbtxt: give a file or a SavedModel's directory"
    )


def _one(path: Path, name: str, tags: Sequence[str]) -> Model:
    suffix = path.suffix.lower()
    if suffix in (".keras", ".h5", ".hdf5"):
        raise BadInput(
            f"{path}: a Keras file: save it as a SavedModel (model.export or tf.saved_model.save) and give that"
        )
    with mapped(path) as data:
        try:
            if suffix == ".json":
                return Model(
                    name,
                    _digest(path),
                    "ops-list",
                    (),
                    asks=ops_list.from_json(_list_text(path, data)),
                )
            if suffix in (".yaml", ".yml"):
                return Model(
                    name,
                    _digest(path),
                    "ops-list",
                    (),
                    asks=ops_list.from_yaml(_list_text(path, data)),
                )
            if suffix == ".tflite":
                return Model(name, _digest(path), "tflite-flex", tuple(tflite.flex_ops(data, name)))
        except (ops_list.ListError, tflite.FlatError) as error:
            raise BadInput(f"{path}: {error}") from None
        if suffix in (".pbtxt", ".prototxt", ".textproto"):
            model = _pbtxt(path, name, data, tags)
        elif suffix == ".meta":
            model = _binary(path, name, data, "meta_graph", tags)
        elif meta_graph.is_saved_model(data):
            model = _binary(path, name, data, "saved_model", tags)
        else:
            model = _binary(path, name, data, "graphdef", ())
    if not model.nodes:
        raise BadInput(f"{path}: a graph with no nodes: give a model that computes something")
    return model


def read(path: Path, tags: Sequence[str] = ()) -> Model:
    """Reads the model at `path`.

    Args:
      path: a file or a SavedModel's directory.
      tags: of the graphs in a SavedModel, those with all these; all where none are given.
    Raises BadInput, with the file, the place and what would be right, where it
    is no model that can be read.
    """
    place = _saved_model_file(path) if path.is_dir() else path
    return _one(place, str(path), tags)
