"""Finds the nodes that depend only on constants and can be computed before the graph runs. Pure."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tfcarve import control_flow
from tfcarve.prepare.evaluate.inference import Outputs, output_of
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Graph, Ref, control_inputs, data_inputs, topological_order
from tfcarve.prepare.graph.messages import NodeDef, OpDef

# The size limit of an intermediate value, in bytes.
_MAX_COMPUTED = 1 << 28
# A node with more control inputs is not folded.
_MAX_CONTROL_INPUTS = 16
_OF_SHAPES = frozenset(("Rank", "Shape", "ShapeN", "Size"))
# Ops whose output is their first input.
PASS_THROUGH = frozenset(("Identity", "PreventGradient", "Snapshot", "StopGradient"))


@dataclass(frozen=True)
class Facts:
    """The inputs of the decision whether a node can be folded.

    Attributes:
      op_defs: the OpDefs by name.
      outputs: types and shapes, by node.
      fed: names of the nodes that the app feeds.
      output_nodes: names of the nodes that it fetches.
      excluded_ops: ops that are not folded.
      excluded_nodes: names of nodes that are not folded.
      largest: the size limit of a new constant, in bytes.
    """

    op_defs: Mapping[str, OpDef]
    outputs: Outputs
    fed: Collection[str]
    output_nodes: Collection[str]
    excluded_ops: Collection[str]
    excluded_nodes: Collection[str]
    largest: int


def byte_size(output: Output) -> int | None:
    """Returns the size of an output in bytes, or None if it is unknown."""
    size = tensors.item_size(output.dtype)
    if output.shape is None or not output.known():
        return None
    return math.prod(output.shape) * (size or 8)


def by_shape(node: NodeDef, facts: Facts) -> bool:
    """Returns whether a node's value follows from known shapes."""
    if node.op not in _OF_SHAPES:
        return False
    read = [output_of(source, facts.outputs) for source in data_inputs(node)]
    if node.op == "Rank":
        return all(output is not None and output.shape is not None for output in read)
    return all(output is not None and output.known() for output in read)


def _is_foldable(node: NodeDef, facts: Facts) -> bool:
    """Returns whether a node can be computed if its inputs can."""
    op = facts.op_defs.get(node.op)
    if (
        op is None
        or op.is_stateful
        or node.op in control_flow.ALL
        or node.op.startswith(("_", "Placeholder"))
    ):
        return False
    if node.op in facts.excluded_ops or node.name in facts.excluded_nodes or node.name in facts.fed:
        return False
    if any(value.HasField("func") or value.list.func for value in node.attr.values()):
        return False
    outputs = facts.outputs.get(node.name, ())
    if not outputs or (len(outputs) > 1 and node.name in facts.output_nodes):
        return False
    return all(_computable(output) for output in outputs)


def _computable(output: Output) -> bool:
    if not tensors.item_size(output.dtype) and output.dtype != tensors.STRING:
        return False
    return (byte_size(output) or 0) <= _MAX_COMPUTED


@dataclass(frozen=True)
class Found:
    """The nodes that can be folded.

    Attributes:
      folded: their names, without existing constants.
      control_inputs_of: for these nodes and constants, the other nodes that they depend on through control inputs.
      outputs: their outputs that the rest of the graph reads, in the order of the graph.
    """

    folded: frozenset[str]
    control_inputs_of: Mapping[str, frozenset[str]]
    outputs: tuple[Ref, ...]


def find(graph: Graph, facts: Facts) -> Found:
    """Finds the nodes to fold; a node whose constant would exceed the size limit is not folded."""
    order = topological_order(graph)
    # With control flow, a constant without inputs would not be in the frame or branch of its readers.
    has_control_flow = any(node.op in control_flow.ALL for node in order)
    control_inputs_of: dict[str, frozenset[str]] = {}
    for node in order:
        sources = data_inputs(node)
        if node.op != "Const":
            depends = any(source.node not in control_inputs_of for source in sources)
            if not _is_foldable(node, facts) or (depends and not by_shape(node, facts)):
                continue
        elif node.name in facts.fed:
            continue
        own = {source.node for source in sources} | set(control_inputs(node))
        if by_shape(node, facts) and not has_control_flow:
            own = set(control_inputs(node)) | {
                s.node for s in sources if s.node in control_inputs_of
            }
        before = frozenset(w for name in own for w in control_inputs_of.get(name, (name,)))
        if len(before) <= _MAX_CONTROL_INPUTS:
            control_inputs_of[node.name] = before
    return _without_large(order, control_inputs_of, facts)


def _without_large(
    order: Sequence[NodeDef], control_inputs_of: dict[str, frozenset[str]], facts: Facts
) -> Found:
    read: dict[str, set[Ref]] = {}
    for node in reversed(order):
        name = node.name
        outside = read.get(name, set()) | ({Ref(name)} if name in facts.output_nodes else set())
        if (
            name in control_inputs_of
            and node.op != "Const"
            and any(_large(r, facts) for r in outside)
        ):
            del control_inputs_of[name]
        if name in control_inputs_of:
            read[name] = outside
            continue
        for source in data_inputs(node):
            read.setdefault(source.node, set()).add(source)
    folded = frozenset(
        node.name for node in order if node.name in control_inputs_of and node.op != "Const"
    )
    outputs = [r for node in order if node.name in folded for r in sorted(read[node.name])]
    return Found(folded, control_inputs_of, tuple(outputs))


def _large(source: Ref, facts: Facts) -> bool:
    output = output_of(source, facts.outputs)
    return output is not None and (byte_size(output) or 0) > facts.largest
