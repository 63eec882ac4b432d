"""rename_op: changes the op of all nodes of one op; inputs and attributes stay.

Source: tensorflow/tools/graph_transforms/rename_op.cc.
"""

from tfcarve.errors import InvalidInput
from tfcarve.models.graph_def import is_op_name
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph

PARAMETERS = frozenset(("new_op_name", "old_op_name"))
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = True

_EXAMPLE = "rename_op(old_op_name=Mul, new_op_name=Multiply)"


def apply(graph: Graph, context: Context) -> Graph:
    """Changes the op; raises InvalidInput if a name is missing, given twice or not a valid op name."""
    parameters = context.parameters
    parameters.required("old_op_name", _EXAMPLE)
    parameters.required("new_op_name", _EXAMPLE)
    old, new = parameters.one("old_op_name"), parameters.one("new_op_name")
    if not is_op_name(new):
        raise InvalidInput(f"{parameters.transform}: {new!r} is not a valid op name")
    for node in graph.nodes:
        if node.op == old:
            node.op = new
    return graph
