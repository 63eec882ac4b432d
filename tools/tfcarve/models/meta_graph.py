"""Finds the graphs and signatures in MetaGraphDef (.meta) and SavedModel, in binary form.

Source of the field numbers: tensorflow/core/protobuf/{meta_graph,saved_model}.proto.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tfcarve.models import signature_read, wire
from tfcarve.models.signature_def import Signature
from tfcarve.models.wire import BYTES, VARINT, Budget, Buffer, Region, WireError

# Upper bounds of memory: bytes of a tag, bytes of a graph or signature, and a signature's memory for each of its bytes.
_TAG, _GRAPH, _SIGNATURE = 80, 1_000, 32


@dataclass(frozen=True, slots=True)
class MetaGraph:
    """A graph with its tags and signatures.

    Attributes:
      tags: its tags.
      signatures: by name.
      graph: where its GraphDef is.
      objects: where its SavedObjectGraph is; None if it has none.
    """

    tags: tuple[str, ...]
    signatures: Mapping[str, Signature]
    graph: Region
    objects: Region | None = None


def meta_graph(data: Buffer, place: int, end: int, budget: Budget) -> Iterator[MetaGraph]:
    """Yields the graph of the MetaGraphDef at data[place:end]; `budget` is for the whole file."""
    tags: list[str] = []
    signatures: dict[str, Signature] = {}
    graphs: list[Region] = []
    objects: Region | None = None
    for number, kind, a, b in wire.fields(data, place, end):
        if number > 7 or kind != BYTES:
            raise WireError(
                f"byte {place}: field {number} is not in meta_graph.proto: not a MetaGraphDef"
            )
        if number == 1:
            for tag in wire.contents(data, (a, b), 4):
                budget.take(_TAG)
                tags.append(wire.text(data, *tag))
        elif number == 2:
            budget.take(_GRAPH)
            graphs.append((a, b))
        elif number == 5:
            budget.take(_GRAPH + _SIGNATURE * (b - a))
            name, found = signature_read.from_binary(data, a, b, budget)
            signatures[name] = found
        elif number == 7:
            objects = (a, b)
    for graph in graphs:
        yield MetaGraph(tuple(tags), signatures, graph, objects)


def saved_model(data: Buffer, budget: Budget) -> Iterator[MetaGraph]:
    """Yields the graphs of a SavedModel; `budget` is for the whole file."""
    for number, kind, a, b in wire.fields(data, 0, len(data)):
        if number == 2 and kind == BYTES:
            budget.take(_GRAPH)
            yield from meta_graph(data, a, b, budget)
        elif number != 1 or kind != VARINT:
            raise WireError(f"field {number} is not in saved_model.proto: not a SavedModel")


def is_saved_model(data: Buffer) -> bool:
    """Returns whether `data` starts like a SavedModel, with the schema version as a varint."""
    return len(data) > 2 and data[0] == 0x08
