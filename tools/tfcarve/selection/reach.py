"""Which of a model's functions can ever be called.

A SavedModel brings functions that nothing calls: backward passes, variants for
other devices that only grappler would pick (Keras' gpu_lstm_with_fallback).
What they use is not needed. Pure.
"""

from collections.abc import Iterator

from tfcarve.models.node_use import Model, NodeUse


def called(use: NodeUse) -> Iterator[str]:
    """Yields what may be a function that the node calls: its op, and the functions in its attributes."""
    yield use.op
    for value in use.attrs.values():
        if value.kind == "func":
            yield value.value
        elif value.kind == "list(func)":
            yield from value.value


def needed_nodes(model: Model) -> tuple[NodeUse, ...]:
    """Returns the nodes of the graph and of all functions that it can call, in the order of the file."""
    # A model's nodes are decoded anew by each walk over them: one is enough.
    nodes = tuple(model.nodes)
    calls: dict[str, set[str]] = {}
    for use in nodes:
        calls.setdefault(use.function, set()).update(model.functions.keys() & called(use))
    reached = {""}
    todo = [""]
    while todo:
        new = calls.get(todo.pop(), set()) - reached
        reached |= new
        todo.extend(new)
    return tuple(use for use in nodes if use.function in reached)
