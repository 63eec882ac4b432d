"""Compares two graphs node by node."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from google.protobuf import text_format
from google.protobuf.message import Message

from tfcarve import dtypes
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import AttrValue, FunctionDef, NodeDef

_MAX_TEXT = 60
# The op of a Change that is about a function itself.
FUNCTION = "function"


@dataclass(frozen=True)
class Change:
    """A node that only one graph has, or that differs.

    Attributes:
      node: its name: "FUNCTION/NAME" for a node of a function, "FUNCTION" for a function itself.
      kind: "added", "removed" or "changed".
      op: its op, in the second graph if the second graph has the node; FUNCTION for a function.
      details: each difference with the values before and after: "op", "inputs", "device" or the name of an attribute;
        for a function "signature" or "returns".
    """

    node: str
    kind: str
    op: str
    details: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class OpCount:
    """The nodes of an op in two graphs, functions included.

    Attributes:
      op: the op's name.
      nodes: the number of its nodes in the first and the second graph.
      bytes: the size of these nodes in the file.
    """

    op: str
    nodes: tuple[int, int]
    bytes: tuple[int, int]


def _attr_text(value: AttrValue | None) -> str:
    if value is None:
        return ""
    if value.HasField("tensor"):
        tensor = value.tensor
        dims = (
            "?" if tensor.tensor_shape.unknown_rank else [d.size for d in tensor.tensor_shape.dim]
        )
        name = dtypes.from_number(tensor.dtype) or f"DataType {tensor.dtype}"
        return f"{name} {dims}, {tensor.ByteSize()} bytes"
    return _short(value)


def _short(message: Message) -> str:
    text = text_format.MessageToString(message, as_one_line=True)
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"


def _details(a: NodeDef, b: NodeDef) -> Iterator[tuple[str, str, str]]:
    if a.op != b.op:
        yield "op", a.op, b.op
    if list(a.input) != list(b.input):
        yield "inputs", ", ".join(a.input), ", ".join(b.input)
    if a.device != b.device:
        yield "device", a.device, b.device
    for key in sorted({*a.attr, *b.attr}):
        before, after = (node.attr.get(key) for node in (a, b))
        if before is None or after is None or not nodes.same_attr(before, after):
            texts = _attr_text(before), _attr_text(after)
            yield key, texts[0], texts[1] + (", other values" if texts[0] == texts[1] else "")


def _changes(a: Mapping[str, NodeDef], b: Mapping[str, NodeDef], prefix: str) -> Iterator[Change]:
    for name, node in a.items():
        if name not in b:
            yield Change(prefix + name, "removed", node.op)
        elif details := tuple(_details(node, b[name])):
            yield Change(prefix + name, "changed", b[name].op, details)
    for name, node in b.items():
        if name not in a:
            yield Change(prefix + name, "added", node.op)


def _named(listed: Iterable[NodeDef]) -> dict[str, NodeDef]:
    return {node.name: node for node in listed}


def _functions(graph: Graph) -> dict[str, FunctionDef]:
    return {function.signature.name: function for function in graph.library.function}


def _whole(graph: Graph) -> Iterator[NodeDef]:
    yield from graph.nodes
    for function in graph.library.function:
        yield from function.node_def


def changes(a: Graph, b: Graph) -> list[Change]:
    """Returns the nodes that differ: first nodes of the graph, then nodes of functions, each in the order of `a`."""
    found = list(_changes(_named(a.nodes), _named(b.nodes), ""))
    before, after = _functions(a), _functions(b)
    for name in [*before, *(name for name in after if name not in before)]:
        found += _function_changes(name, before.get(name), after.get(name))
    return found


def _returned(function: FunctionDef) -> str:
    pairs = [*function.ret.items(), *(("^" + k, v) for k, v in function.control_ret.items())]
    return ", ".join(f"{key}={value}" for key, value in sorted(pairs))


def _function_changes(name: str, a: FunctionDef | None, b: FunctionDef | None) -> Iterator[Change]:
    if a is None or b is None:
        yield Change(name, "added" if a is None else "removed", FUNCTION)
    else:
        details = []
        if not nodes.same_attr(a.signature, b.signature):
            details.append(("signature", _short(a.signature), _short(b.signature)))
        if _returned(a) != _returned(b):
            details.append(("returns", _returned(a), _returned(b)))
        if details:
            yield Change(name, "changed", FUNCTION, tuple(details))
    bodies = [_named(side.node_def) if side is not None else {} for side in (a, b)]
    yield from _changes(bodies[0], bodies[1], f"{name}/")


def op_counts(a: Graph, b: Graph) -> list[OpCount]:
    """Returns the ops of both graphs, sorted by name."""
    counts, sizes = (Counter[str](), Counter[str]()), (Counter[str](), Counter[str]())
    for side, graph in enumerate((a, b)):
        for node in _whole(graph):
            counts[side][node.op] += 1
            sizes[side][node.op] += node.ByteSize()
    return [
        OpCount(op, (counts[0][op], counts[1][op]), (sizes[0][op], sizes[1][op]))
        for op in sorted({*counts[0], *counts[1]})
    ]
