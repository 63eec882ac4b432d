"""backport_concatv2: replaces ConcatV2 with Concat, which has its axis first, for older TensorFlow.

Source: BackportConcatV2Transform in tensorflow/tools/graph_transforms/backports.cc. Unlike TensorFlow's tool, it
converts a constant int64 axis to int32, which Concat requires.
"""

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    Graph,
    Ref,
    by_name,
    control_inputs,
    data_inputs,
    set_inputs,
    unique_name,
)
from tfcarve.prepare.graph.messages import NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_INT64 = 9


def apply(graph: Graph, context: Context) -> Graph:
    """Replaces ConcatV2; raises InvalidInput if an int64 axis is not constant."""
    known = by_name(graph)
    taken = set(known)
    listed: list[NodeDef] = []
    for node in graph.nodes:
        if node.op == "ConcatV2":
            *values, axis = data_inputs(node)
            if nodes.dtype(node, "Tidx") == _INT64:
                listed.append(_axis(node, known[axis.node], taken, context))
                axis = Ref(listed[-1].name)
            control = [Ref(name, -1) for name in control_inputs(node)]
            set_inputs(node, [axis, *values, *control])
            node.op = "Concat"
            node.attr.pop("Tidx", None)
        listed.append(node)
    return graph.with_nodes(listed)


def _axis(node: NodeDef, axis: NodeDef, taken: set[str], context: Context) -> NodeDef:
    if axis.op != "Const":
        raise InvalidInput(
            f"{context.parameters.transform}: node {node.name!r}: its int64 axis is not constant: "
            "Concat requires int32"
        )
    name = unique_name(f"{node.name}/axis_int32", taken)
    return instead_of(axis, name, nodes.value(axis).astype(np.int32))
