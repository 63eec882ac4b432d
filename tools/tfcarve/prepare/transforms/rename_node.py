"""rename_node: renames a node and all references to it.

Source: tensorflow/tools/graph_transforms/rename_node.cc. Unlike TensorFlow's tool, it fails if the node does not exist,
and also renames the node in colocation attributes.
"""

from collections.abc import Mapping

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.colocation import rename_colocations
from tfcarve.prepare.graph.graph import Graph, Ref, ref, set_inputs

PARAMETERS = frozenset(("new_node_name", "old_node_name"))
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_EXAMPLE = "rename_node(old_node_name=a/b/Softmax, new_node_name=output)"


def renamed(graph: Graph, names: Mapping[str, str]) -> Graph:
    """Renames the nodes in `names`, which maps old names to new names."""
    for node in graph.nodes:
        node.name = names.get(node.name, node.name)
        sources = [ref(text) for text in node.input]
        set_inputs(node, [Ref(names.get(s.node, s.node), s.output) for s in sources])
        rename_colocations(node, names)
    return graph


def names(context: Context) -> tuple[str, str]:
    """Returns the old and the new name; raises InvalidInput if one is missing or given twice."""
    parameters = context.parameters
    parameters.required("old_node_name", _EXAMPLE)
    parameters.required("new_node_name", _EXAMPLE)
    return parameters.one("old_node_name"), parameters.one("new_node_name")


def apply(graph: Graph, context: Context) -> Graph:
    """Renames the node; raises InvalidInput if it does not exist or the new name is taken."""
    old, new = names(context)
    known = {node.name for node in graph.nodes}
    if old not in known:
        raise InvalidInput(
            f"{context.parameters.transform}: the node {old!r} does not exist{nearest(old, known)}"
        )
    if new in known:
        raise InvalidInput(f"{context.parameters.transform}: a node {new!r} already exists")
    return renamed(graph, {old: new})
