"""Checks names, inputs and cycles of a graph, or of the body of a function. Pure.

Source: BuildNodeIndex, InitFromEdges and Convert in tensorflow/core/common_runtime/graph_constructor.cc.
"""

from collections.abc import Iterable, Iterator, Sequence

from tfcarve.control_flow import MERGES, NEXT_ITERATIONS
from tfcarve.models.node_names import is_node_name
from tfcarve.models.node_use import NodeUse
from tfcarve.validity.fault import Fault, Reason, fault

_NAMES = Reason("a node has a name that TensorFlow does not accept")
_TWICE = Reason("several nodes have the same name")
_ORDER = Reason("a control input precedes another input")
_CYCLE = Reason("nodes depend on themselves, and are not in a loop")


def _late(use: NodeUse) -> str:
    """Returns an input that follows a control input, or ""."""
    control = False
    for text in use.inputs:
        if text.startswith("^"):
            control = True
        elif control:
            return text
    return ""


def node_faults(uses: Iterable[NodeUse]) -> Iterator[Fault]:
    """Yields the nodes with invalid names, and the nodes with inputs in a wrong order."""
    seen: set[str] = set()
    for use in uses:
        if not is_node_name(use.node, in_function=bool(use.function)):
            yield fault(use, _NAMES, "may have letters, digits and ._-/ only")
        if use.node in seen:
            yield fault(use, _TWICE, "must be unique")
        seen.add(use.node)
        late = _late(use)
        if late:
            yield fault(use, _ORDER, f"{late} must precede the control inputs")


def _without_dependents(places: set[int], readers: Sequence[Sequence[int]]) -> set[int]:
    """Removes a place that no other place depends on, until there is none; returns the rest of `places`."""
    count = {place: sum(reader in places for reader in readers[place]) for place in places}
    sources: dict[int, list[int]] = {place: [] for place in places}
    for place in places:
        for reader in readers[place]:
            if reader in places:
                sources[reader].append(place)
    last = [place for place in places if not count[place]]
    for place in last:  # grows
        for source in sources[place]:
            count[source] -= 1
            if not count[source]:
                last.append(source)
    return places - set(last)


def cycle_faults(uses: Sequence[NodeUse], sources: Sequence[Sequence[int]]) -> Iterator[Fault]:
    """Yields the nodes of cycles.

    Args:
      uses: the nodes.
      sources: for each node, the places in `uses` of the nodes that it depends on, once for each input.
    """
    readers: list[list[int]] = [[] for _ in uses]
    pending = [len(each) for each in sources]
    back = {place for place, use in enumerate(uses) if use.op in NEXT_ITERATIONS}
    merges = {place for place, use in enumerate(uses) if use.op in MERGES}
    for place, each in enumerate(sources):
        for source in each:
            readers[source].append(place)
    for place in merges:
        controls = sum(text.startswith("^") for text in uses[place].inputs)
        values = sources[place][: len(sources[place]) - controls]
        if not back.isdisjoint(values):
            # The first value makes a Merge run; others come from the loop's next iterations.
            pending[place] = controls + 1
    ready = [place for place, count in enumerate(pending) if not count]
    for place in ready:  # grows
        for reader in readers[place]:
            if place in back and reader in merges:
                continue
            pending[reader] -= 1
            if not pending[reader]:
                ready.append(reader)
    if len(ready) < len(uses):
        left = _without_dependents(set(range(len(uses))) - set(ready), readers)
        yield from (fault(uses[place], _CYCLE, "is in a cycle") for place in sorted(left))
