"""Signatures of a SavedModel or MetaGraph: their inputs, outputs and the nodes that they need. Pure.

Source of the field numbers: tensorflow/core/protobuf/meta_graph.proto (SignatureDef, TensorInfo).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tfcarve.models import wire
from tfcarve.models.node_use import NodeUse
from tfcarve.models.wire import BYTES, Buffer


class SignatureError(ValueError):
    """A signature does not exist, or refers to a node that does not exist."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The nodes that a signature feeds, and the nodes that it fetches or runs."""

    inputs: frozenset[str]
    outputs: frozenset[str]


def node_of(tensor: str) -> str:
    """Returns the node of a tensor or control input: `a` for `a:1`, `^a` and `a:out:0`."""
    return tensor.removeprefix("^").partition(":")[0]


def _entry(data: Buffer, place: int, end: int) -> tuple[str, tuple[int, int] | None]:
    """Reads an entry of a map from strings to messages; returns the key, and the start and end of the value."""
    key, value = "", None
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == BYTES:
            key = wire.text(data, a, b)
        elif number == 2 and kind == BYTES:
            value = (a, b)
    return key, value


def _tensors(data: Buffer, place: int, end: int) -> Iterator[str]:
    """Yields the tensors of a TensorInfo: one, the three of a sparse tensor, or those of a composite tensor."""
    todo = [
        (place, end)
    ]  # composite tensors can be nested; untrusted input must not cause recursion
    while todo:
        for number, kind, a, b in wire.fields(data, *todo.pop()):
            if number == 1 and kind == BYTES:
                yield wire.text(data, a, b)
            elif number in (4, 5) and kind == BYTES:
                for n, k, c, d in wire.fields(data, a, b):
                    if k == BYTES and number == 4 and n in (1, 2, 3):
                        yield wire.text(data, c, d)
                    elif k == BYTES and number == 5 and n == 2:
                        todo.append((c, d))


def from_binary(data: Buffer, place: int, end: int) -> tuple[str, Signature]:
    """Reads an entry of MetaGraphDef.signature_def.

    Returns:
      The signature's name, and the signature.

    Raises:
      wire.WireError: the bytes are not such an entry.
    """
    name, value = _entry(data, place, end)
    sides: dict[int, set[str]] = {1: set(), 2: set()}
    for number, kind, a, b in wire.fields(data, *value) if value else ():
        if number in sides and kind == BYTES:
            _, info = _entry(data, a, b)
            if info:
                sides[number].update(map(node_of, _tensors(data, *info)))
    return name, Signature(frozenset(sides[1]), frozenset(sides[2]))


def chosen(available: Mapping[str, Signature], names: Iterable[str]) -> dict[str, Signature]:
    """Returns the available signatures that have one of `names`, or all of them if `names` is empty.

    Raises:
      SignatureError: no available signature has one of the names; the message lists the available ones.
    """
    wanted = frozenset(names)
    found = {name: available[name] for name in sorted(available) if not wanted or name in wanted}
    if wanted and not found:
        raise SignatureError(
            f"no signature {', '.join(sorted(wanted))}: it has {', '.join(sorted(available)) or 'none'}"
        )
    return found


def reached(nodes: Collection[NodeUse], signatures: Mapping[str, Signature]) -> list[NodeUse]:
    """Returns the nodes that the outputs of `signatures` need, and all nodes of functions.

    Control inputs are followed; the inputs of a node that the signature feeds are not.

    Raises:
      SignatureError: a signature refers to a node that does not exist.
    """
    graph = {use.node: use for use in nodes if not use.function}
    needed: set[str] = set()
    for name, signature in signatures.items():
        unknown = (signature.inputs | signature.outputs) - graph.keys()
        if unknown:
            raise SignatureError(
                f"signature {name} refers to the node {min(unknown)!r}, which does not exist"
            )
        seen: set[str] = set()
        todo = sorted(signature.outputs)
        while todo:
            node = todo.pop()
            if node in seen or node not in graph:
                continue
            seen.add(node)
            if node not in signature.inputs:
                todo += map(node_of, graph[node].inputs)
        needed |= seen
    return [use for use in nodes if use.function or use.node in needed]
