"""Which nodes of a graph depend on constants alone, and can be computed before the graph runs. Pure."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.prepare import tensors
from tfcarve.prepare.evaluate import Output
from tfcarve.prepare.graph import Graph, Ref, control_inputs, data_inputs, topological_order
from tfcarve.prepare.inference import Outputs, output_of
from tfcarve.prepare.messages import NodeDef, OpDef

# What is computed on the way may take so many bytes at most.
_MOST_COMPUTED = 1 << 28
# A constant that waits for more is none.
_MOST_WAITS = 16
_CONTROL_FLOW = frozenset(("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"))
_OF_SHAPES = frozenset(("Rank", "Shape", "ShapeN", "Size"))
# They give their first input as it is.
PASS_THROUGH = frozenset(("Identity", "PreventGradient", "Snapshot", "StopGradient"))


@dataclass(frozen=True)
class Facts:
    """What decides whether a node can be computed.

    Attributes:
      op_defs: the ops.
      outputs: types and shapes, by node.
      fed: nodes whose values an app gives.
      fetched: nodes whose values it takes.
      excluded_ops: ops that are not computed.
      excluded_nodes: nodes that are not.
      largest: so many bytes a new constant may have.
    """

    op_defs: Mapping[str, OpDef]
    outputs: Outputs
    fed: Collection[str]
    fetched: Collection[str]
    excluded_ops: Collection[str]
    excluded_nodes: Collection[str]
    largest: int


def byte_size(output: Output) -> int | None:
    """Returns how many bytes an output has; None where that is not known."""
    size = tensors.item_size(output.dtype)
    if output.shape is None or not output.known():
        return None
    return math.prod(output.shape) * (size or 8)


def by_shape(node: NodeDef, facts: Facts) -> bool:
    """Says whether a node's value is that of shapes that are known."""
    if node.op not in _OF_SHAPES:
        return False
    read = [output_of(source, facts.outputs) for source in data_inputs(node)]
    if node.op == "Rank":
        return all(output is not None and output.shape is not None for output in read)
    return all(output is not None and output.known() for output in read)


def _may(node: NodeDef, facts: Facts) -> bool:
    """Says whether a node can be computed if what it reads can."""
    op = facts.op_defs.get(node.op)
    if (
        op is None
        or op.is_stateful
        or node.op in _CONTROL_FLOW
        or node.op.startswith(("_", "Placeholder"))
    ):
        return False
    if node.op in facts.excluded_ops or node.name in facts.excluded_nodes or node.name in facts.fed:
        return False
    if any(value.HasField("func") or value.list.func for value in node.attr.values()):
        return False
    outputs = facts.outputs.get(node.name, ())
    if not outputs or (len(outputs) > 1 and node.name in facts.fetched):
        return False
    return all(_computable(output) for output in outputs)


def _computable(output: Output) -> bool:
    if not tensors.item_size(output.dtype) and output.dtype != tensors.STRING:
        return False
    return (byte_size(output) or 0) <= _MOST_COMPUTED


@dataclass(frozen=True)
class Found:
    """What can be computed.

    Attributes:
      folded: the names of the nodes, without those that are constants already.
      waits: for these and the constants, what they wait for beside each other.
      fetches: the tensors that the rest of the graph reads of them, in the order of the graph.
    """

    folded: frozenset[str]
    waits: Mapping[str, frozenset[str]]
    fetches: tuple[Ref, ...]


def find(graph: Graph, facts: Facts) -> Found:
    """Returns what can be computed; what would give a constant over the limit is left."""
    order = topological_order(graph)
    # Where there is control flow a constant without inputs would not be in the loop or branch that it is for.
    has_control_flow = any(node.op in _CONTROL_FLOW for node in order)
    waits: dict[str, frozenset[str]] = {}
    for node in order:
        sources = data_inputs(node)
        if node.op != "Const":
            depends = any(source.node not in waits for source in sources)
            if not _may(node, facts) or (depends and not by_shape(node, facts)):
                continue
        elif node.name in facts.fed:
            continue
        own = {source.node for source in sources} | set(control_inputs(node))
        if by_shape(node, facts) and not has_control_flow:
            own = set(control_inputs(node)) | {s.node for s in sources if s.node in waits}
        before = frozenset(w for name in own for w in waits.get(name, (name,)))
        if len(before) <= _MOST_WAITS:
            waits[node.name] = before
    return _without_large(order, waits, facts)


def _without_large(
    order: Sequence[NodeDef], waits: dict[str, frozenset[str]], facts: Facts
) -> Found:
    read: dict[str, set[Ref]] = {}
    for node in reversed(order):
        name = node.name
        outside = read.get(name, set()) | ({Ref(name)} if name in facts.fetched else set())
        if name in waits and node.op != "Const" and any(_large(r, facts) for r in outside):
            del waits[name]
        if name in waits:
            read[name] = outside
            continue
        for source in data_inputs(node):
            read.setdefault(source.node, set()).add(source)
    folded = frozenset(node.name for node in order if node.name in waits and node.op != "Const")
    fetches = [r for node in order if node.name in folded for r in sorted(read[node.name])]
    return Found(folded, waits, tuple(fetches))


def _large(source: Ref, facts: Facts) -> bool:
    output = output_of(source, facts.outputs)
    return output is not None and (byte_size(output) or 0) > facts.largest
