"""merge_duplicate_nodes: merges nodes with the same op, attributes and inputs.

Source: MergeDuplicateNodes in tensorflow/tools/graph_transforms/quantize_nodes.cc.
"""

import hashlib

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph, Ref, ref, rewire, topological_order
from tfcarve.prepare.graph.messages import NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_NEVER = ("Placeholder", "_")


def _key(node: NodeDef) -> bytes:
    """Returns a digest of everything that determines a node's outputs."""
    digest = hashlib.sha256()
    for part in (node.op, node.device, *node.input):
        digest.update(part.encode() + b"\0")
    for key in sorted(node.attr):
        if key != "_output_shapes":
            value = node.attr[key].SerializeToString(deterministic=True)
            digest.update(f"{key}\0{len(value)}\0".encode() + value)
    return digest.digest()


def apply(graph: Graph, context: Context) -> Graph:
    """Merges equal nodes; stateful nodes are not merged."""
    op_defs = context.evaluator.op_defs
    preserved = context.preserved()
    first: dict[bytes, str] = {}
    removed: dict[str, str] = {}
    for node in topological_order(graph):
        op = op_defs.get(node.op)
        _use(node, removed)
        if op is None or op.is_stateful or node.op.startswith(_NEVER):
            continue
        same = first.setdefault(_key(node), node.name)
        if same != node.name and node.name not in preserved:
            removed[node.name] = same
    rewired = [node for node in graph.nodes if node.name not in removed]
    for node in rewired:
        _use(node, removed)
    return graph.with_nodes(rewired)


def _use(node: NodeDef, removed: dict[str, str]) -> None:
    sources = [ref(text) for text in node.input]
    replaced = {s: Ref(removed[s.node], s.output) for s in sources if s.node in removed}
    if replaced:
        rewire([node], replaced)
