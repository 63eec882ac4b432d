"""half_weights: replaces large float constants with constants of type half and a Cast.

Not in TensorFlow's tool. A tensor with a value beyond the range of half does not change.
"""

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, by_name, unique_name
from tfcarve.prepare.graph.messages import NodeDef

PARAMETERS = frozenset(("minimum_size",))
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_HALF = 19


def apply(graph: Graph, context: Context) -> Graph:
    """Converts constants; raises InvalidInput if one is damaged."""
    minimum = context.parameters.integer("minimum_size", 1024)
    if minimum < 1:
        raise InvalidInput(f"half_weights: minimum_size={minimum}: expected 1 or more")
    fed = context.input_nodes()
    taken = set(by_name(graph))
    listed: list[NodeDef] = []
    for node in graph.nodes:
        created = _half(node, minimum, taken) if node.name not in fed else None
        listed += created or [node]
    return graph.with_nodes(listed)


def _half(node: NodeDef, minimum: int, taken: set[str]) -> list[NodeDef] | None:
    """Returns the nodes for a constant, or None if it does not change."""
    if node.op != "Const" or nodes.tensor(node).dtype != nodes.FLOAT:
        return None
    array = nodes.value(node)
    if array.size < minimum:
        return None
    with np.errstate(over="ignore"):
        small = array.astype(np.float16)
    if not np.isfinite(small).all():
        return None
    constant = instead_of(node, unique_name(f"{node.name}_half", taken), small, _HALF)
    types = {"SrcT": nodes.type_value(_HALF), "DstT": nodes.type_value(nodes.FLOAT)}
    return [constant, nodes.make("Cast", node.name, [Ref(constant.name)], **types)]
