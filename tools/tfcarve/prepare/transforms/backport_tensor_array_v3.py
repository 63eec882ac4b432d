"""backport_tensor_array_v3: replaces TensorArrayV3 ops with their V2 versions, for older TensorFlow.

Source: BackportTensorArrayV3Transform in tensorflow/tools/graph_transforms/backports.cc. Unlike TensorFlow's tool, it
removes attributes that V2 does not have, and changes the type of ops that pass on a handle to string, as V2 requires.
"""

import numpy as np

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import Constants
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    Graph,
    Ref,
    data_inputs,
    rewire,
    topological_order,
    unique_name,
)
from tfcarve.prepare.graph.messages import NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_STRING, _RESOURCE = 7, 20
_MAKE = frozenset(("TensorArrayV3", "TensorArrayGradV3"))
_USE = frozenset(
    f"TensorArray{verb}V3"
    for verb in ("Close", "Concat", "Gather", "Read", "Scatter", "Size", "Split", "Write")
)
_PASS_ON = frozenset(("Enter", "Exit", "Identity", "Merge", "NextIteration", "Switch"))


def _downgrade(node: NodeDef, context: Context) -> None:
    node.op = f"{node.op[:-1]}2"
    known = {attr.name for attr in context.evaluator.op_defs[node.op].attr}
    for key in [key for key in node.attr if not key.startswith("_") and key not in known]:
        del node.attr[key]


def apply(graph: Graph, context: Context) -> Graph:
    """Replaces the V3 ops."""
    taken = {node.name for node in graph.nodes}
    constants = Constants(graph.nodes)
    handles: set[str] = set()
    replacements: dict[Ref, Ref] = {}
    listed: list[NodeDef] = []
    for node in graph.nodes:
        listed.append(node)
        if node.op in _MAKE:
            _downgrade(node, context)
            handles.add(node.name)
            flow = unique_name(f"{node.name}/replacement_flow_node", taken)
            listed.append(constants.beside(Ref(node.name), flow, np.array(1, np.float32)))
            replacements[Ref(node.name, 1)] = Ref(flow)
        elif node.op in _USE:
            _downgrade(node, context)
    for node in topological_order(graph):
        passes_on = node.op in _PASS_ON and nodes.dtype(node) == _RESOURCE
        if passes_on and any(source.node in handles for source in data_inputs(node)):
            node.attr["T"].type = _STRING
            handles.add(node.name)
    rewire(listed, replacements)
    return graph.with_nodes(listed)
