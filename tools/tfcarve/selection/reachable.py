"""The nodes of a model that can run: the nodes of the graph and of functions that it can call. Pure.

A SavedModel contains functions that nothing calls: backward passes, and variants for other devices that only grappler
would choose (Keras' gpu_lstm_with_fallback). Their ops are not needed.
"""

import itertools
from collections.abc import Iterator

from tfcarve.models.node_use import Model, NodeUse


def called(use: NodeUse) -> Iterator[str]:
    """Yields the names that may be functions which a node calls: its op, and the functions in its attributes."""
    yield use.op
    for value in use.attrs.values():
        if value.kind == "func":
            yield value.value
        elif value.kind == "list(func)":
            yield from value.value


def reachable_parts(model: Model) -> tuple[tuple[NodeUse, ...], ...]:
    """Returns, for each graph of a model, the nodes of the graph and of all functions that it can call, in the file's order."""
    # Each iteration over a model's nodes decodes them again.
    parts = tuple(map(tuple, model.parts()))
    calls: dict[str, set[str]] = {}
    for use in itertools.chain.from_iterable(parts):
        calls.setdefault(use.function, set()).update(model.functions.keys() & called(use))
    reached = {""}
    todo = [""]
    while todo:
        new = calls.get(todo.pop(), set()) - reached
        reached |= new
        todo.extend(new)
    return tuple(tuple(use for use in part if use.function in reached) for part in parts)


def reachable_nodes(model: Model) -> tuple[NodeUse, ...]:
    """Returns the nodes of the graph and of all functions that it can call, in the order of the file."""
    return tuple(itertools.chain.from_iterable(reachable_parts(model)))
