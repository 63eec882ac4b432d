"""Which nodes of a graph get their channels last. Pure."""

from collections.abc import Collection, Mapping, Sequence

from tfcarve.prepare.graph import CONTROL, Ref, data_inputs, ref
from tfcarve.prepare.layout import Facts, Plan
from tfcarve.prepare.layout_rules import flexible, sensitive
from tfcarve.prepare.messages import NodeDef


def choose(order: Sequence[NodeDef], facts: Facts, fetched: Collection[str]) -> dict[str, Plan]:
    """Returns the nodes that get channels last, by name, and how.

    These are the nodes whose data_format has the channels second; after them, the nodes that work in any layout; and
    before them, those of one tensor that nothing else reads.

    Args:
      order: the nodes, in topological order.
      facts: what is known of them.
      fetched: the names of the nodes that the app fetches.
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
            if last.isdisjoint(sources[place] for place in plan.reads):
                possible[node.name] = plan
                continue
        plans[node.name] = plan
        last.update(Ref(node.name, output) for output in plan.gives)
    if plans:
        _before(order, facts, fetched, possible, plans)
    return plans


def _before(
    order: Sequence[NodeDef],
    facts: Facts,
    fetched: Collection[str],
    possible: Mapping[str, Plan],
    plans: dict[str, Plan],
) -> None:
    """Adds the nodes that only nodes of `plans` read, as a tensor with channels last."""
    readers: dict[str, list[tuple[NodeDef, int]]] = {}
    for node in order:
        for place, text in enumerate(node.input):
            if ref(text).output != CONTROL:
                readers.setdefault(ref(text).node, []).append((node, place))
    for node in reversed(order):
        plan = possible.get(node.name)
        if plan is None or not plan.gives or node.name in fetched or node.name not in readers:
            continue
        moving = [p for p in plan.reads if not facts.is_constant(data_inputs(node)[p])]
        if len(moving) == 1 and all(
            user.name in plans and place in plans[user.name].reads
            for user, place in readers[node.name]
        ):
            plans[node.name] = plan
