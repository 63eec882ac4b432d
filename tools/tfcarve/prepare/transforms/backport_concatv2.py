"""backport_concatv2: ConcatV2 becomes Concat, which has its axis first, for an older TensorFlow.

Source: BackportConcatV2Transform in tensorflow/tools/graph_transforms/backports.cc. Differs from TensorFlow's tool: an axis that
is a constant of int64 becomes one of int32, which Concat needs.
"""

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare import nodes
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import (
    Graph,
    Ref,
    by_name,
    control_inputs,
    data_inputs,
    set_inputs,
    unique_name,
)
from tfcarve.prepare.messages import NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True

_INT64 = 9


def apply(graph: Graph, context: Context) -> Graph:
    """Returns the graph with Concat; raises InvalidInput where an axis of int64 is no constant."""
    known = by_name(graph)
    taken = set(known)
    listed: list[NodeDef] = []
    for node in graph.nodes:
        if node.op == "ConcatV2":
            *values, axis = data_inputs(node)
            if nodes.dtype(node, "Tidx") == _INT64:
                listed.append(_axis(node, known[axis.node], taken, context))
                axis = Ref(listed[-1].name)
            waits = [Ref(name, -1) for name in control_inputs(node)]
            set_inputs(node, [axis, *values, *waits])
            node.op = "Concat"
            node.attr.pop("Tidx", None)
        listed.append(node)
    return graph.with_nodes(listed)


def _axis(node: NodeDef, axis: NodeDef, taken: set[str], context: Context) -> NodeDef:
    if axis.op != "Const":
        raise InvalidInput(
            f"{context.parameters.transform}: node {node.name!r}: its axis is of int64 and no constant: "
            "Concat takes int32"
        )
    made = nodes.constant(
        unique_name(f"{node.name}/axis_int32", taken), nodes.value(axis).astype(np.int32)
    )
    set_inputs(made, [Ref(name, -1) for name in control_inputs(axis)])
    return made
