"""Reads a model of any kind: looks at what it is, hands it to its reader."""

import codecs
import functools
import itertools
import mmap
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.errors import InvalidInput
from tfcarve.models import (
    graph_def,
    graph_text,
    hashing,
    keras,
    meta_graph,
    ops_list,
    signature,
    text_format,
    tflite,
    wire,
)
from tfcarve.models.meta_graph import MetaGraph
from tfcarve.models.node_use import Model, NodeUse
from tfcarve.models.wire import Budget, Buffer

if TYPE_CHECKING:
    from tfcarve.prepare.freeze.request import Options

# All ops and kernel classes of TensorFlow are a fifth of this.
_LONGEST_LIST = 4 << 20
_SAVED_MODEL_FILES = ("saved_model.pb", "saved_model.pbtxt")
_READERS = ".pb, .pbtxt, .meta, .tflite, .keras, .h5, .json, .yaml or a SavedModel's directory"


@dataclass(frozen=True, slots=True)
class Choice:
    """What to take of a SavedModel or MetaGraph; of other models all is taken.

    Attributes:
      tags: graphs with all of these tags; empty: all graphs.
      signatures: what these need, as far as the model has them; empty: all of the graph.
    """

    tags: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


ALL = Choice()


@dataclass(frozen=True, slots=True)
class _Source:
    """A file with a model, the model's path as the user gave it, and what gives the model's digest."""

    path: Path
    name: str
    digest: Callable[[], str]


def mapped(path: Path) -> Buffer:
    """Returns the content of `path` without reading what is not looked at.

    It stays mapped for as long as something refers to it. Raises InvalidInput where it can't be read or is empty.
    """
    try:
        with path.open("rb") as stream:
            if path.stat().st_size == 0:
                raise InvalidInput(f"{path}: is empty: a model was expected")
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file: give a model ({_READERS})") from None
    except IsADirectoryError:
        raise InvalidInput(
            f"{path}: is a directory: give a file or a SavedModel's directory"
        ) from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: cannot be read: {error}") from None


def _looks_like_text(data: Buffer) -> bool:
    head = bytes(data[:512])
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return all(byte >= 0x20 or byte in b"\t\n\r" for byte in head)


def _list_text(path: Path, data: Buffer) -> str:
    if len(data) > _LONGEST_LIST:
        raise InvalidInput(
            f"{path}: {len(data)} bytes: an ops list has at most {_LONGEST_LIST}: give the model itself"
        )
    return _text(path, data)


def _text(path: Path, data: Buffer) -> str:
    try:
        return bytes(data[:]).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}: byte {error.start}: no UTF-8 text") from None


def _tagged(path: Path, found: Sequence[MetaGraph], tags: Sequence[str]) -> list[MetaGraph]:
    """Returns the graphs of `found` with all of `tags`."""
    tagged = [graph for graph in found if set(tags) <= set(graph.tags)]
    if not tagged:
        there = "; ".join(", ".join(g.tags) or "no tags" for g in found) or "no graphs at all"
        raise InvalidInput(
            f"{path}: no graph with the tags {', '.join(tags) or '(any)'}: it has {there}"
        )
    return tagged


def _model(
    source: _Source,
    kind: str,
    data: Buffer,
    graphs: Sequence[MetaGraph],
    choice: Choice,
    budget: Budget,
) -> Model:
    """Returns what `choice` takes of `graphs`, which are in `data`."""
    parts: list[Collection[NodeUse]] = []
    functions: dict[str, tuple[str, ...]] = {}
    taken: dict[str, signature.Signature] = {}
    try:
        # Graphs of other tags may have other signatures: together they must have what is asked for.
        has = {n: s for graph in graphs for n, s in graph.signatures.items()}
        asked = signature.chosen(has, choice.signatures)
        for graph in graphs:
            own = {n: s for n, s in graph.signatures.items() if n in asked}
            nodes, of_functions = graph_def.graph(data, *graph.graph, source.name, budget)
            parts.append(signature.reached(nodes, own) if choice.signatures else nodes)
            functions.update(of_functions)
            taken.update(own)
    except signature.SignatureError as error:
        raise InvalidInput(f"{source.path}: {error}") from None
    return Model(
        source.name,
        source.digest,
        kind,
        parts[0] if len(parts) == 1 else tuple(itertools.chain(*parts)),
        functions,
        signatures=tuple(sorted(taken)),
        outputs=frozenset(node for s in taken.values() for node in s.outputs),
    )


def _binary(source: _Source, data: Buffer, kind: str, choice: Choice) -> Model:
    budget = Budget(len(data))
    if kind == "graphdef":
        whole = MetaGraph((), {}, (0, len(data)))
        return _model(source, kind, data, [whole], ALL, budget)
    found = (
        meta_graph.saved_model(data, budget)
        if kind == "saved_model"
        else meta_graph.meta_graph(data, 0, len(data), budget)
    )
    tagged = _tagged(source.path, list(found), choice.tags)
    return _model(source, kind, data, tagged, choice, budget)


def _pb(source: _Source, data: Buffer, kind: str, choice: Choice) -> Model:
    try:
        return _binary(source, data, kind, choice)
    except wire.WireError as error:
        if _looks_like_text(data):
            raise InvalidInput(
                f"{source.path}: is text, no binary {kind}: name it .pbtxt where it is one in text form"
            ) from None
        raise InvalidInput(f"{source.path}: {error}") from None


def _pbtxt(source: _Source, data: Buffer, choice: Choice) -> Model:
    try:
        kind, binary = graph_text.to_binary(data)
        model = _binary(source, binary, kind, choice)
    except (text_format.TextError, wire.WireError) as error:
        raise InvalidInput(f"{source.path}: {error}") from None
    return replace(model, format=f"{kind}-text")


def _saved_model_file(path: Path) -> Path:
    for name in _SAVED_MODEL_FILES:
        if (path / name).is_file():
            return path / name
    raise InvalidInput(
        f"{path}: is a directory without saved_model.pb or saved_model.pbtxt: give a file or a SavedModel's directory"
    )


def _list(source: _Source, data: Buffer) -> Model:
    is_json = source.path.suffix.lower() == ".json"
    from_text = ops_list.from_json if is_json else ops_list.from_yaml
    asked = from_text(_list_text(source.path, data))
    return Model(
        source.name, source.digest, "ops-list", (), asks=asked.asks, training=asked.training
    )


def _one(source: _Source, choice: Choice) -> Model:
    path = source.path
    suffix = path.suffix.lower()
    data = mapped(path)
    try:
        if suffix in (".json", ".yaml", ".yml"):
            return _list(source, data)
        if suffix == ".tflite":
            flex_ops = tflite.flex_ops(data, source.name)
            return Model(source.name, source.digest, "tflite-flex", flex_ops)
    except (ops_list.ListError, tflite.FlatError) as error:
        raise InvalidInput(f"{path}: {error}") from None
    if suffix in graph_text.SUFFIXES:
        model = _pbtxt(source, data, choice)
    elif suffix == ".meta":
        model = _pb(source, data, "meta_graph", choice)
    elif meta_graph.is_saved_model(data):
        model = _pb(source, data, "saved_model", choice)
    else:
        model = _pb(source, data, "graphdef", choice)
    if not model.nodes:
        raise InvalidInput(f"{path}: a graph with no nodes: give a model that computes something")
    return model


def is_saved_model(path: Path) -> bool:
    """Returns whether there is a SavedModel at `path`: its directory, or the file in it."""
    return path.is_dir() or path.name in _SAVED_MODEL_FILES


def frozen(
    path: Path,
    tags: Sequence[str],
    signature_name: str,
    sha256: Callable[[Path], str] = hashing.sha256,
) -> Model:
    """Freezes the SavedModel at `path` for one of its signatures, and reads the frozen graph.

    Args:
      path: a SavedModel's directory, or the file in it.
      tags: of its graph; empty for "serve".
      signature_name: gives inputs and outputs; "" for serving_default.
      sha256: gives the SHA-256 of a file, for the model's digest.
    Returns the model, with the SavedModel's path and digest.
    Raises InvalidInput where it cannot be frozen, or TensorFlow is not installed.
    """
    from tfcarve.prepare.freeze.request import DEFAULTS, Options

    options = Options(
        tags=tuple(tags) or DEFAULTS.tags, signature=signature_name or DEFAULTS.signature
    )
    file = _saved_model_file(path) if path.is_dir() else path
    model = _frozen(path, options, functools.partial(sha256, file))
    return replace(model, format="saved_model", signatures=(options.signature,))


def _frozen(path: Path, options: "Options", digest: Callable[[], str]) -> Model:
    from tfcarve.prepare.freeze import run  # it reads what it makes by this module

    with run.frozen(path, options) as done:
        model = _one(_Source(done.path, str(path), digest), ALL)
    return replace(model, outputs=frozenset(tensor.name for tensor in done.result.outputs))


def _keras(path: Path, choice: Choice, digest: Callable[[], str]) -> Model:
    from tfcarve.prepare.freeze.request import DEFAULTS

    mapped(path)  # it is there, and not empty
    keras.require_signature(path, choice.signatures)
    model = _frozen(path, DEFAULTS, digest)
    return replace(model, format="keras", signatures=(keras.SIGNATURE,))


def read(path: Path, choice: Choice = ALL, sha256: Callable[[Path], str] = hashing.sha256) -> Model:
    """Reads the model at `path`.

    A Keras file is frozen first: nothing but full TensorFlow can run it as it is. A SavedModel or MetaGraph is read
    as it stands, with its variables and all its signatures, and without TensorFlow: it may be trained. What an app
    gets that only infers is smaller: `frozen` reads the SavedModel as that.

    Args:
      path: a file or a SavedModel's directory.
      choice: what to take of a SavedModel or MetaGraph.
      sha256: gives the SHA-256 of a file, for the model's digest.
    Raises InvalidInput, with the file, the place and what would be right, where it is none or has not what is chosen.
    """
    if path.suffix.lower() in keras.SUFFIXES:
        return _keras(path, choice, functools.partial(sha256, path))
    file = _saved_model_file(path) if path.is_dir() else path
    return _one(_Source(file, str(path), functools.partial(sha256, file)), choice)
