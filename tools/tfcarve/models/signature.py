"""Signatures of a SavedModel or MetaGraph: what they take and give, and the nodes that they need. Pure.

Source of the numbers: tensorflow/core/protobuf/meta_graph.proto (SignatureDef, TensorInfo).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tfcarve.models import wire
from tfcarve.models.node_use import NodeUse
from tfcarve.models.wire import BYTES, Buffer


class SignatureError(ValueError):
    """A signature that is not there, or that names what the graph has not: says what there is."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The nodes that a signature feeds and those whose values (or doing, of a node without any) it asks for."""

    inputs: frozenset[str]
    outputs: frozenset[str]


def node_of(tensor: str) -> str:
    """Returns the node in the name of a tensor or of a control input: `a` for `a:1`, `^a` and `a:out:0`."""
    return tensor.removeprefix("^").partition(":")[0]


def _entry(data: Buffer, place: int, end: int) -> tuple[str, tuple[int, int] | None]:
    """Reads an entry of a map from strings to messages: the key, and where the value is."""
    key, value = "", None
    for number, kind, a, b in wire.fields(data, place, end):
        if number == 1 and kind == BYTES:
            key = wire.text(data, a, b)
        elif number == 2 and kind == BYTES:
            value = (a, b)
    return key, value


def _tensors(data: Buffer, place: int, end: int) -> Iterator[str]:
    """Yields the tensors that a TensorInfo names: one, three of a sparse one, or a composite one's parts."""
    todo = [(place, end)]  # a composite may hold another one: no recursion on what others wrote
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
    """Reads an entry of MetaGraphDef.signature_def: its name, and the signature.

    Raises wire.WireError where the bytes are none.
    """
    name, value = _entry(data, place, end)
    sides: dict[int, set[str]] = {1: set(), 2: set()}
    for number, kind, a, b in wire.fields(data, *value) if value else ():
        if number in sides and kind == BYTES:
            _, info = _entry(data, a, b)
            if info:
                sides[number].update(map(node_of, _tensors(data, *info)))
    return name, Signature(frozenset(sides[1]), frozenset(sides[2]))


def chosen(has: Mapping[str, Signature], asked: Iterable[str]) -> dict[str, Signature]:
    """Returns those of `has` that `asked` names; all where it names none.

    Raises SignatureError, with all there are, where none of those asked for is there.
    """
    wanted = frozenset(asked)
    taken = {name: has[name] for name in sorted(has) if not wanted or name in wanted}
    if wanted and not taken:
        raise SignatureError(
            f"no signature {', '.join(sorted(wanted))}: it has {', '.join(sorted(has)) or 'none'}"
        )
    return taken


def reached(nodes: Collection[NodeUse], signatures: Mapping[str, Signature]) -> list[NodeUse]:
    """Returns those of `nodes` that the outputs of `signatures` need, and all of functions.

    Control inputs count. What is behind a node that every signature which reaches it feeds is not
    needed. Raises SignatureError where a signature names a node that is not there.
    """
    graph = {use.node: use for use in nodes if not use.function}
    needed: set[str] = set()
    for name, signature in signatures.items():
        unknown = (signature.inputs | signature.outputs) - graph.keys()
        if unknown:
            raise SignatureError(
                f"signature {name} names the node {min(unknown)!r}, which the graph has not"
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
