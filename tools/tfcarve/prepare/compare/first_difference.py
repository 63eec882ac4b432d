"""Finds the first node at which two models differ."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.prepare.compare.measure import Difference, measure
from tfcarve.prepare.compare.side import Side
from tfcarve.prepare.control_flow.frames import in_loops
from tfcarve.prepare.evaluate.chunks import chunks
from tfcarve.prepare.evaluate.evaluator import Failed
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    Graph,
    Ref,
    by_name,
    consumers,
    data_inputs,
    reachable,
    ref,
    topological_order,
)
from tfcarve.prepare.graph.messages import NodeDef, TensorProto

Feeds = Mapping[Ref, TensorProto]
Show = Callable[[str, int, int], None]


@dataclass(frozen=True)
class FirstDifference:
    """The first node at which two models differ.

    Attributes:
      node: its name in both models.
      ops: its op in each model.
      inputs: its inputs in each model.
      difference: the difference of its output.
      constants: the Consts that it reads in the first model and that have other values in the second.
    """

    node: str
    ops: tuple[str, str]
    inputs: tuple[tuple[str, ...], tuple[str, ...]]
    difference: Difference
    constants: tuple[str, ...]


def _computed(order: Sequence[NodeDef], feeds: Feeds) -> set[str]:
    """Returns the names of the nodes that depend on a fed tensor, or of all nodes if nothing is fed."""
    fed = {source.node for source in feeds}
    found = set(fed)
    for node in order:
        if not fed or any(ref(text).node in found for text in node.input):
            found.add(node.name)
    return found - fed


def candidates(a: Side, b: Side, target: Ref, feeds: Feeds) -> list[Ref]:
    """Returns the tensors that both models have between the feeds and `target`, in their order in `a`.

    Constants are omitted: their readers show whether a changed value matters.
    """
    order = topological_order(a.graph)
    fed = {source.node for source in feeds}
    names = reachable(a.graph, [target.node], fed) & _computed(order, feeds)
    names -= in_loops(order) | in_loops(topological_order(b.graph))
    read = set(consumers(a.graph)) | {target}
    return [
        source
        for node in order
        if node.name in names and (node.op != "Const" or node.name == target.node)
        for source in (Ref(node.name, i) for i in range(len(a.outputs[node.name])))
        if source in read and a.has(source) and b.has(source)
    ]


def _measured(a: Side, b: Side, sources: Sequence[Ref], feeds: Feeds) -> dict[Ref, Difference]:
    """Returns the difference of each tensor that has a value; one in a branch that is not taken has none."""
    try:
        values = zip(sources, a.run(sources, feeds), b.run(sources, feeds), strict=True)
    except Failed:
        if len(sources) == 1:
            return {}
        alone = (_measured(a, b, [source], feeds) for source in sources)
        return {source: found for each in alone for source, found in each.items()}
    return {source: measure(x, y, source.node) for source, x, y in values}


def first_difference(
    a: Side, b: Side, target: Ref, feeds: Feeds, tolerance: float, show: Show = lambda *_: None
) -> FirstDifference | None:
    """Returns the first node before `target` at which two models differ, or None if no node can be compared.

    It is the first node that exceeds the tolerance and whose difference reaches `target`. A convolution into whose
    weights a batch normalization was folded differs too, but the nodes after it do not, so it is not reported.

    Args:
      a: the first model.
      b: the second.
      target: an output that exceeds the tolerance.
      feeds: the sample with which it does.
      tolerance: the largest Difference.error that is accepted.
      show: called with the current step, the number of steps done and their total.
    """
    listed = candidates(a, b, target, feeds)
    found: dict[Ref, Difference] = {}
    for chunk in chunks(listed, a.outputs):
        show("looking for the first node that differs", len(found), len(listed))
        found.update(_measured(a, b, chunk, feeds))
    carriers = _carriers(a.graph, target, found, tolerance)
    over = (s for s in listed if s in found and found[s].error > tolerance and s in carriers)
    source = next(over, None)
    if source is None:
        return None
    before, after = by_name(a.graph)[source.node], by_name(b.graph)[source.node]
    return FirstDifference(
        source.node,
        (before.op, after.op),
        (tuple(before.input), tuple(after.input)),
        found[source],
        _constants(before, a.graph, b.graph),
    )


def _carriers(
    graph: Graph, target: Ref, found: Mapping[Ref, Difference], tolerance: float
) -> set[Ref]:
    """Returns the tensors that `target` depends on through tensors that differ; an unknown tensor may differ."""
    known = by_name(graph)
    reached, todo = {target}, [target]
    while todo:
        for source in data_inputs(known[todo.pop().node]):
            same = source in found and found[source].error <= tolerance
            if source not in reached and not same:
                reached.add(source)
                todo.append(source)
    return reached


def _constants(node: NodeDef, a: Graph, b: Graph) -> tuple[str, ...]:
    before, after = by_name(a), by_name(b)
    return tuple(
        source.node
        for source in data_inputs(node)
        if before[source.node].op == "Const"
        and source.node in after
        and after[source.node].op == "Const"
        and not nodes.same_attr(before[source.node].attr["value"], after[source.node].attr["value"])
    )
