"""MetaGraphDef (.meta) and SavedModel in binary form: where their graphs are, and their signatures.

Source of the numbers: tensorflow/core/protobuf/{meta_graph,saved_model}.proto.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from tfcarve.models import signature, wire
from tfcarve.models.signature import Signature
from tfcarve.models.wire import BYTES, VARINT, Buffer, WireError

Graph = TypeVar("Graph")


@dataclass(frozen=True, slots=True)
class MetaGraph(Generic[Graph]):
    """A graph with its tags and signatures.

    `graph` is, in binary form, the place and end of its GraphDef; in text form the message.
    """

    tags: tuple[str, ...]
    signatures: Mapping[str, Signature]
    graph: Graph


Found = MetaGraph[tuple[int, int]]


def meta_graph(data: Buffer, place: int, end: int) -> Iterator[Found]:
    """Yields the graph of the MetaGraphDef at data[place:end]."""
    tags: list[str] = []
    signatures: dict[str, Signature] = {}
    graphs: list[tuple[int, int]] = []
    for number, kind, a, b in wire.fields(data, place, end):
        if number > 7 or kind != BYTES:
            raise WireError(
                f"byte {place}: field {number}: not as in meta_graph.proto: no MetaGraphDef"
            )
        if number == 1:
            for n, k, c, d in wire.fields(data, a, b):
                if n == 4 and k == BYTES:
                    tags.append(wire.text(data, c, d))
        elif number == 2:
            graphs.append((a, b))
        elif number == 5:
            name, found = signature.from_binary(data, a, b)
            signatures[name] = found
    for graph in graphs:
        yield MetaGraph(tuple(tags), signatures, graph)


def saved_model(data: Buffer) -> Iterator[Found]:
    """Yields the graphs of a SavedModel."""
    for number, kind, a, b in wire.fields(data, 0, len(data)):
        if number == 2 and kind == BYTES:
            yield from meta_graph(data, a, b)
        elif number != 1 or kind != VARINT:
            raise WireError(f"field {number}: not as in saved_model.proto: no SavedModel")


def is_saved_model(data: Buffer) -> bool:
    """Says whether `data` starts as a SavedModel does: with its schema version, a number."""
    return len(data) > 2 and data[0] == 0x08
