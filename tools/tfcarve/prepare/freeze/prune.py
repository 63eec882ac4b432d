"""Removes nodes that the results of a graph do not need. Pure."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.freeze import tensor_names
from tfcarve.prepare.freeze.bodies import Body, with_inputs
from tfcarve.prepare.freeze.nodes import make
from tfcarve.prepare.freeze.ops import CONTROL_FLOW, DATAFLOW_CONTROL, Ops, functions_of
from tfcarve.prepare.graph.graph import Graph, topological_order
from tfcarve.prepare.graph.messages import NodeDef


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


def has_side_effects(node: NodeDef, functions: Mapping[str, Body], ops: Ops) -> bool:
    """Returns whether running a node, or for control flow its functions, has side effects."""
    if node.op in CONTROL_FLOW:
        bodies = [functions[f.name] for f in functions_of(node) if f.name in functions]
        return any(has_side_effects(n, functions, ops) for body in bodies for n in body.nodes)
    return ops.is_stateful(node)


def pruned(body: Body, keep: Iterable[str] = ()) -> Body:
    """Returns `body` with the nodes that its results, its effects and the nodes `keep` need."""
    roots = [tensor_names.parsed(result.tensor)[0] for result in body.results]
    found = needed(body.nodes, [*roots, *body.effects, *keep])
    return replace(body, nodes=tuple(node for node in body.nodes if node.name in found))


def _needed_control_inputs(
    body: Body, effectful: Collection[str], is_stateful: Callable[[NodeDef], bool]
) -> Callable[[NodeDef], Collection[str]]:
    """Returns a function that returns the control inputs that a node needs."""
    if not any(node.op in DATAFLOW_CONTROL for node in body.nodes):
        return lambda _: effectful
    arguments = [make(argument.name, "Placeholder", [], {}) for argument in body.arguments]
    liveness = Liveness(topological_order(Graph([*arguments, *body.nodes])))

    def needed_by(node: NodeDef) -> Collection[str]:
        if node.op == "NoOp" or is_stateful(node):
            return [i[1:] for i in node.input if i.startswith("^")]
        return liveness.needed_control_inputs(node, effectful)

    return needed_by


def without_redundant_control_inputs(
    body: Body, is_stateful: Callable[[NodeDef], bool], keep: Iterable[str] = ()
) -> Body:
    """Returns `body` without control inputs from nodes without side effects, pruned except for the nodes `keep`.

    In a graph with Switch or Enter, control inputs stay that determine whether, or in which frame, a node runs.
    """
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
    needed_by = _needed_control_inputs(body, effectful, is_stateful)
    nodes = tuple(
        with_inputs(
            node, [i for i in node.input if not i.startswith("^") or i[1:] in needed_by(node)]
        )
        for node in body.nodes
    )
    effects = tuple(effect for effect in body.effects if effect in effectful)
    return pruned(replace(body, nodes=nodes, effects=effects), keep)
