"""Removes nodes that the results of a graph do not need. Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from tfcarve.prepare.freeze import tensor_names
from tfcarve.prepare.freeze.bodies import Body, with_inputs
from tfcarve.prepare.freeze.ops import DATAFLOW_CONTROL, NodeDef


def needed(nodes: Iterable[NodeDef], roots: Iterable[str]) -> set[str]:
    """Returns the names of the nodes that the nodes `roots` need, including control inputs."""
    inputs = {node.name: node.input for node in nodes}
    found: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name in inputs and name not in found:
            found.add(name)
            todo += [tensor_names.parsed(i)[0] for i in inputs[name]]
    return found


def pruned(body: Body, keep: Iterable[str] = ()) -> Body:
    """Returns `body` with the nodes that its results, its effects and the nodes `keep` need."""
    roots = [tensor_names.parsed(result.tensor)[0] for result in body.results]
    found = needed(body.nodes, [*roots, *body.effects, *keep])
    return replace(body, nodes=tuple(node for node in body.nodes if node.name in found))


def without_redundant_control_inputs(
    body: Body, is_stateful: Callable[[NodeDef], bool], keep: Iterable[str] = ()
) -> Body:
    """Returns `body` without control inputs from nodes without side effects, pruned except for the nodes `keep`.

    Control inputs in a graph with Switch or Enter stay: there they may determine the frame in which a node runs.
    """
    if any(node.op in DATAFLOW_CONTROL for node in body.nodes):
        return pruned(body, keep)
    consumers: dict[str, list[str]] = defaultdict(list)
    for node in body.nodes:
        for i in node.input:
            consumers[tensor_names.parsed(i)[0]].append(node.name)
    effectful: set[str] = set()
    todo = [node.name for node in body.nodes if is_stateful(node)]
    while todo:
        name = todo.pop()
        if name not in effectful:
            effectful.add(name)
            todo += consumers[name]
    nodes = tuple(
        with_inputs(node, [i for i in node.input if not i.startswith("^") or i[1:] in effectful])
        for node in body.nodes
    )
    effects = tuple(effect for effect in body.effects if effect in effectful)
    return pruned(replace(body, nodes=nodes, effects=effects), keep)
