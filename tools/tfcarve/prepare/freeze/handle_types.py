"""Updates the types of nodes that pass on variables and tables which have become constants. Pure.

Source of the attributes: tensorflow/core/ops/{array,control_flow,functional}_ops.cc.
"""

from collections.abc import Mapping

from tfcarve.prepare.freeze.bodies import copied
from tfcarve.prepare.freeze.handles import Handle
from tfcarve.prepare.graph.messages import NodeDef, TensorShapeProto


def forwarding_node(node: NodeDef, handles: Mapping[int, Handle]) -> NodeDef:
    """Returns an Identity, Switch, Enter or similar node that reads the constants `handles`, by input number."""
    created = copied(node)
    created.op = node.op.removeprefix("Ref")
    if node.op == "IdentityN":
        for number, handle in handles.items():
            created.attr["T"].list.type[number] = handle.dtype
    elif 0 in handles or "Merge" in node.op:
        created.attr["T"].type = next(iter(handles.values())).dtype
    return created


def _first(node: NodeDef) -> int:
    """Returns the number of the first input that is passed to functions; If and Case have a selector before it."""
    return 0 if "While" in node.op else 1


def function_arguments(node: NodeDef, handles: Mapping[int, Handle]) -> list[Handle | None]:
    """Returns the variables and tables that a While, If or Case passes to its functions, by argument."""
    data = [i for i in node.input if not i.startswith("^")]
    return [handles.get(number) for number in range(_first(node), len(data))]


def control_flow_node(node: NodeDef, handles: Mapping[int, Handle]) -> NodeDef:
    """Returns a While, If or Case that reads the constants `handles`, by input number."""
    created = copied(node)
    is_while = "While" in node.op
    types = created.attr["T" if is_while else "Tin"].list.type
    shapes = created.attr["output_shapes"].list.shape if is_while else ()
    for number, handle in enumerate(function_arguments(node, handles)):
        if handle and number < len(types):
            types[number] = handle.dtype
        if handle and number < len(shapes):
            shapes[number].CopyFrom(TensorShapeProto(unknown_rank=True))
    return created
