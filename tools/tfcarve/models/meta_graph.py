"""MetaGraphDef (.meta) and SavedModel in binary form: where their graphs are, and their signatures.

Source of the numbers: tensorflow/core/protobuf/{meta_graph,saved_model}.proto.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tfcarve.models import signature, wire
from tfcarve.models.signature import Signature
from tfcarve.models.wire import BYTES, VARINT, Budget, Buffer, WireError

# What a tag, and a graph or a signature, take in memory at most, and how many times its bytes a signature does.
_TAG, _GRAPH, _SIGNATURE = 80, 1_000, 32


@dataclass(frozen=True, slots=True)
class MetaGraph:
    """A graph with its tags and signatures; `graph` is the place and end of its GraphDef."""

    tags: tuple[str, ...]
    signatures: Mapping[str, Signature]
    graph: tuple[int, int]


def meta_graph(data: Buffer, place: int, end: int, budget: Budget) -> Iterator[MetaGraph]:
    """Yields the graph of the MetaGraphDef at data[place:end]; `budget` is that of the file."""
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
                    budget.take(_TAG)
                    tags.append(wire.text(data, c, d))
        elif number == 2:
            budget.take(_GRAPH)
            graphs.append((a, b))
        elif number == 5:
            budget.take(_GRAPH + _SIGNATURE * (b - a))
            name, found = signature.from_binary(data, a, b)
            signatures[name] = found
    of_all = tuple(tags)
    for graph in graphs:
        yield MetaGraph(of_all, signatures, graph)


def saved_model(data: Buffer, budget: Budget) -> Iterator[MetaGraph]:
    """Yields the graphs of a SavedModel; `budget` is that of the file."""
    for number, kind, a, b in wire.fields(data, 0, len(data)):
        if number == 2 and kind == BYTES:
            budget.take(_GRAPH)
            yield from meta_graph(data, a, b, budget)
        elif number != 1 or kind != VARINT:
            raise WireError(f"field {number}: not as in saved_model.proto: no SavedModel")


def is_saved_model(data: Buffer) -> bool:
    """Says whether `data` starts as a SavedModel does: with its schema version, a number."""
    return len(data) > 2 and data[0] == 0x08
