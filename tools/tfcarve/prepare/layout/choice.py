"""Chooses the nodes of a graph that are converted to channels last. Pure."""

from collections.abc import Collection, Mapping, Sequence

from tfcarve.prepare.graph.graph import CONTROL, Ref, data_inputs, ref
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.layout.layouts import Facts, Plan
from tfcarve.prepare.layout.rules import flexible, sensitive


def choose(
    order: Sequence[NodeDef], facts: Facts, output_nodes: Collection[str]
) -> dict[str, Plan]:
    """Returns the nodes to convert to channels last, by name, with their plans.

    These are the nodes with channels first in data_format, the layout-agnostic nodes after them, and the
    layout-agnostic nodes before them that have one non-constant input and no other readers.

    Args:
      order: the nodes, in topological order.
      facts: constants, types and shapes.
      output_nodes: the names of the nodes that the app fetches.
    """
    plans: dict[str, Plan] = {}
    last: set[Ref] = set()
    possible: dict[str, Plan] = {}
    for node in order:
        if node.name in facts.fed or node.name not in facts.outputs:
            continue
        plan = sensitive(node, facts)
        if plan is None:
            plan = flexible(node, facts)
            if plan is None:
                continue
            sources = data_inputs(node)
            if last.isdisjoint(sources[index] for index in plan.reads):
                possible[node.name] = plan
                continue
        plans[node.name] = plan
        last.update(Ref(node.name, output) for output in plan.gives)
    if plans:
        _before(order, facts, output_nodes, possible, plans)
    return plans


def _before(
    order: Sequence[NodeDef],
    facts: Facts,
    output_nodes: Collection[str],
    possible: Mapping[str, Plan],
    plans: dict[str, Plan],
) -> None:
    """Adds the nodes whose readers are all in `plans` and read them as channels last."""
    readers: dict[str, list[tuple[NodeDef, int]]] = {}
    for node in order:
        for index, text in enumerate(node.input):
            if ref(text).output != CONTROL:
                readers.setdefault(ref(text).node, []).append((node, index))
    for node in reversed(order):
        plan = possible.get(node.name)
        if plan is None or not plan.gives or node.name in output_nodes or node.name not in readers:
            continue
        moving = [p for p in plan.reads if not facts.is_constant(data_inputs(node)[p])]
        if len(moving) == 1 and all(
            user.name in plans and index in plans[user.name].reads
            for user, index in readers[node.name]
        ):
            plans[node.name] = plan
