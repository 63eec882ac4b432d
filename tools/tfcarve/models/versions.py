"""Reads the versions of a GraphDef: the version that wrote it, and the versions that may load it.

Source: tensorflow/core/framework/{graph,versions}.proto.
"""

import itertools
from dataclasses import dataclass

from tfcarve.models import wire
from tfcarve.models.wire import BYTES, VARINT, Buffer, WireError

_VERSIONS = 4
# The GraphDefs that TensorFlow writes have no bad_consumers.
_MAX_BAD = 65_536


@dataclass(frozen=True, slots=True)
class Versions:
    """VersionDef: all three are versions of the GraphDef format (TF_GRAPH_DEF_VERSION).

    Attributes:
      producer: the version of the TensorFlow that wrote the graph.
      min_consumer: the version of the first TensorFlow that may load it.
      bad_consumers: later versions that may not load it.
    """

    producer: int = 0
    min_consumer: int = 0
    bad_consumers: frozenset[int] = frozenset()


def version_def(data: Buffer, place: int, end: int) -> Versions:
    """Reads the VersionDef at data[place:end]; raises WireError if it is invalid."""
    numbers = {1: 0, 2: 0}
    bad: set[int] = set()
    for number, kind, a, b in wire.fields(data, place, end):
        if number in numbers and kind == VARINT:
            numbers[number] = wire.signed(a)
        elif number == 3:
            more = [a] if kind == VARINT else wire.packed(data, a, b) if kind == BYTES else ()
            bad.update(map(wire.signed, itertools.islice(more, _MAX_BAD + 1)))
            if len(bad) > _MAX_BAD:
                raise WireError(f"byte {place}: more than {_MAX_BAD} versions in bad_consumers")
    return Versions(numbers[1], numbers[2], frozenset(bad))


def of_graph(data: Buffer, place: int, end: int) -> Versions:
    """Reads the versions of the GraphDef at data[place:end]; raises WireError if they are invalid."""
    found = Versions()
    file_pass = wire.Pass(data)
    for number, kind, a, b in wire.fields(data, place, end):
        if kind == BYTES:
            file_pass.at(a)
            if number == _VERSIONS:
                found = version_def(data, a, b)
    return found
