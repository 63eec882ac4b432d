"""Models that are protocol buffers, in binary or text form: GraphDef, MetaGraphDef, SavedModel."""

import codecs
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.models import (
    graph_def,
    graph_text,
    memmapped,
    meta_graph,
    saved_functions,
    signature,
    text_format,
    wire,
)
from tfcarve.models.choice import ALL, Choice
from tfcarve.models.meta_graph import MetaGraph
from tfcarve.models.node_use import Function, Model, NodeUse, Parts
from tfcarve.models.object_graph import ObjectGraph
from tfcarve.models.signature_def import Signature
from tfcarve.models.versions import Versions
from tfcarve.models.wire import Budget, Buffer


@dataclass(frozen=True, slots=True)
class Source:
    """A model file.

    Attributes:
      path: the file.
      name: the model's path as the user gave it; Model.path and NodeUse.model.
      digest: returns the model's SHA-256.
    """

    path: Path
    name: str
    digest: Callable[[], str]


def _looks_like_text(data: Buffer) -> bool:
    head = bytes(data[:512])
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return all(byte >= 0x20 or byte in b"\t\n\r" for byte in head)


def _with_tags(path: Path, graphs: Sequence[MetaGraph], tags: Sequence[str]) -> list[MetaGraph]:
    """Returns the graphs that have all of `tags`."""
    tagged = [graph for graph in graphs if set(tags) <= set(graph.tags)]
    if not tagged:
        available = "; ".join(", ".join(g.tags) or "no tags" for g in graphs) or "no graphs"
        raise InvalidInput(
            f"{path}: no graph with the tags {', '.join(tags) or '(any)'}: it has {available}"
        )
    return tagged


def _functions_hint(names: Iterable[str], objects: Iterable[tuple[Buffer, int, int]]) -> str:
    """Returns advice if a requested signature is a function of a SavedModel; else ""."""
    graphs = [ObjectGraph(data, (a, b), Budget(b - a)) for data, a, b in objects]
    for name in names:
        try:
            if any(saved_functions.find(graph, name) for graph in graphs):
                return (
                    f"; {name!r} is a function of the model, for which it must be frozen: --freeze"
                )
        except saved_functions.FunctionError as error:
            return f"; {error}"
    return ""


def _model(
    source: Source,
    kind: str,
    data: Buffer,
    graphs: Sequence[MetaGraph],
    choice: Choice,
    budget: Budget,
) -> Model:
    """Reads the part of `graphs`, which are in `data`, that `choice` selects."""
    parts: list[Collection[NodeUse]] = []
    functions: dict[str, Function] = {}
    versions: list[Versions] = []
    taken: dict[str, Signature] = {}
    objects = tuple((data, *graph.objects) for graph in graphs if graph.objects)
    try:
        # Graphs with different tags may have different signatures: it is enough that one of them has a signature.
        available = {n: s for graph in graphs for n, s in graph.signatures.items()}
        chosen = signature.chosen(available, choice.signatures)
        for graph in graphs:
            own = {n: s for n, s in graph.signatures.items() if n in chosen}
            read = graph_def.graph(data, *graph.graph, source.name, budget)
            parts.append(signature.reached(read.nodes, own) if choice.signatures else read.nodes)
            functions.update(read.functions)
            versions.append(read.versions)
            taken.update(own)
    except signature.SignatureError as error:
        functions_hint = _functions_hint(choice.signatures, objects)
        raise InvalidInput(f"{source.path}: {error}{functions_hint}") from None
    return Model(
        source.name,
        source.digest,
        kind,
        parts[0] if len(parts) == 1 else Parts(tuple(parts)),
        functions,
        signatures=dict(sorted(taken.items())),
        graphs=tuple((data, *graph.graph) for graph in graphs),
        objects=objects,
        versions=tuple(versions),
        outputs=frozenset(node for s in taken.values() for node in s.output_nodes()),
        fed=frozenset(node for s in taken.values() for node in s.input_nodes())
        if choice.signatures
        else frozenset(),
    )


def _from_binary(source: Source, data: Buffer, kind: str, choice: Choice) -> Model:
    budget = Budget(len(data))
    if kind == "graphdef":
        whole = MetaGraph((), {}, (0, len(data)))
        return _model(source, kind, data, [whole], ALL, budget)
    if kind == memmapped.FORMAT:
        regions = memmapped.regions(data)
        graph = MetaGraph((), {}, regions[memmapped.GRAPH])
        model = _model(source, kind, data, [graph], ALL, budget)
        restored = memmapped.RestoredNodes(model.nodes, regions)
        for _ in restored:  # raises WireError if a region is missing
            pass
        return replace(model, nodes=restored)
    graphs = (
        meta_graph.saved_model(data, budget)
        if kind == "saved_model"
        else meta_graph.meta_graph(data, 0, len(data), budget)
    )
    tagged = _with_tags(source.path, list(graphs), choice.tags)
    return _model(source, kind, data, tagged, choice, budget)


def from_binary(source: Source, data: Buffer, kind: str, choice: Choice) -> Model:
    """Reads a model in binary form.

    Args:
      source: the file with the content `data`.
      data: the message.
      kind: graphdef, meta_graph, saved_model or memmapped.
      choice: the graphs and signatures of a SavedModel or MetaGraph to read.

    Raises:
      InvalidInput: the message is invalid, or has nothing that `choice` selects.
    """
    try:
        return _from_binary(source, data, kind, choice)
    except wire.WireError as error:
        if _looks_like_text(data):
            raise InvalidInput(
                f"{source.path}: is text, not a binary {kind}: if it is one in text form, name it .pbtxt"
            ) from None
        raise InvalidInput(f"{source.path}: {error}") from None


def from_text(source: Source, data: Buffer, choice: Choice) -> Model:
    """Reads a model in text form, whose kind its fields show.

    Raises:
      InvalidInput: the message is invalid, or has nothing that `choice` selects.
    """
    try:
        kind, binary = graph_text.to_binary(data)
        model = _from_binary(source, binary, kind, choice)
    except (text_format.TextError, wire.WireError) as error:
        raise InvalidInput(f"{source.path}: {error}") from None
    return replace(model, format=f"{kind}-text")
