"""remove_nodes: removes nodes of the named ops; their consumers read their first input instead.

Source: tensorflow/tools/graph_transforms/remove_nodes.cc. Unlike TensorFlow's tool, it keeps a node after a Switch that
has control outputs: a control input from the Switch itself is always alive.
"""

from collections.abc import Mapping

from tfcarve import control_flow
from tfcarve.control_flow import ALL_SWITCHES, MERGES
from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    by_name,
    control_inputs,
    data_inputs,
    ref,
    rewire,
    topological_order,
)
from tfcarve.prepare.graph.messages import NodeDef

PARAMETERS = frozenset(("op", "max_inputs"))
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = True


def remove(graph: Graph, removed: Mapping[str, NodeDef], replacements: Mapping[Ref, Ref]) -> Graph:
    """Returns the graph without the nodes `removed`.

    `replacements` has the replacement of each output. A control input gets the replacement of output 0.
    """
    remaining = [node for node in graph.nodes if node.name not in removed]
    control = {
        Ref(source.node, CONTROL): Ref(into.node, CONTROL)
        for source, into in replacements.items()
        if source.output == 0
    }
    rewire(remaining, {**replacements, **control})
    return graph.with_nodes(remaining)


def first_inputs(removed: Mapping[str, NodeDef]) -> dict[Ref, Ref]:
    """Returns the first input of each node as the replacement of its output."""
    return {Ref(name): data_inputs(node)[0] for name, node in removed.items()}


def removable(
    graph: Graph, ops: frozenset[str], max_inputs: int, preserved: set[str]
) -> dict[str, NodeDef]:
    """Returns the nodes of `ops` that may be removed, by name; nodes in `preserved` stay."""
    nodes = by_name(graph)
    has_control_outputs = {
        ref(text).node for n in graph.nodes for text in n.input if text.startswith("^")
    }
    found = {}
    for node in reversed(topological_order(graph)):
        sources = data_inputs(node)
        if node.op not in ops or node.name in preserved or not 1 <= len(sources) <= max_inputs:
            continue
        if control_inputs(node):
            continue  # its consumers would lose these control inputs
        if node.name in has_control_outputs:
            if len(sources) > 1 or nodes[sources[0].node].op in ALL_SWITCHES | MERGES:
                continue  # its control outputs would lose a dependency
            has_control_outputs.add(sources[0].node)
        found[node.name] = node
    return found


def apply(graph: Graph, context: Context) -> Graph:
    """Removes nodes of the ops in the parameter `op`, except inputs and outputs.

    Raises InvalidInput if no op is named, or one that loops and conditions consist of.
    """
    ops = context.parameters.required("op", "remove_nodes(op=Identity)")
    for op in ops:
        if op in control_flow.ALL:
            raise InvalidInput(
                f"remove_nodes: op={op}: without its {op} nodes a loop or condition computes something else: name "
                "other ops"
            )
    max_inputs = context.parameters.integer("max_inputs", 1)
    removed = removable(graph, frozenset(ops), max_inputs, context.preserved())
    return remove(graph, removed, first_inputs(removed))
