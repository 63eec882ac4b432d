"""multiply_by_reciprocals: replaces a division by a constant with a multiplication, which is faster.

Source: ConstantFolding::ReduceDivToReciprocalMul in tensorflow/core/grappler/optimizers/constant_folding.cc. Results
may differ in the last bit.
"""

import numpy as np

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, by_name, data_inputs, unique_name
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_DIVISIONS = frozenset(("Div", "RealDiv"))


def _reciprocal(divisor: Array) -> Array | None:
    """Returns the reciprocals, or None if one is not a normal number."""
    with np.errstate(all="ignore"):
        inverse = np.asarray(1 / divisor.astype(np.float64), divisor.dtype)
    is_usual = np.isfinite(inverse) & (np.abs(inverse) >= np.finfo(inverse.dtype).tiny)
    return inverse if is_usual.all() else None


def apply(graph: Graph, _: Context) -> Graph:
    """Replaces divisions; raises InvalidInput if a constant is damaged."""
    known = by_name(graph)
    taken = set(known)
    listed: list[NodeDef] = []
    for node in graph.nodes:
        sources = data_inputs(node)
        if node.op in _DIVISIONS and nodes.dtype(node) == nodes.FLOAT and len(sources) == 2:
            divisor = known[sources[1].node]
            is_float = divisor.op == "Const" and nodes.tensor(divisor).dtype == nodes.FLOAT
            inverse = _reciprocal(nodes.value(divisor)) if is_float else None
            if inverse is not None:
                name = unique_name(f"{divisor.name}/reciprocal", taken)
                listed.append(instead_of(divisor, name, inverse))
                node.op = "Mul"
                node.input[1] = Ref(name).text()
        listed.append(node)
    return graph.with_nodes(listed)
