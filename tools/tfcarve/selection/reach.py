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
    bodies: dict[str, list[NodeUse]] = {}
    for use in model.nodes:
        bodies.setdefault(use.function, []).append(use)
    reached = {""}
    todo = [""]
    while todo:
        for use in bodies.get(todo.pop(), ()):
            for name in called(use):
                if name in model.functions and name not in reached:
                    reached.add(name)
                    todo.append(name)
    return tuple(use for use in model.nodes if use.function in reached)
