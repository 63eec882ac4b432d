"""Types of nodes that hand variables and tables on, once these are constants. Pure.

Source of the attributes: tensorflow/core/ops/{array,control_flow,functional}_ops.cc.
"""

from collections.abc import Mapping

from tensorflow.core.framework import tensor_shape_pb2

from tfcarve.prepare.freeze.bodies import copied
from tfcarve.prepare.freeze.handles import Handle
from tfcarve.prepare.freeze.ops import NodeDef


def handed_on(node: NodeDef, given: Mapping[int, Handle]) -> NodeDef:
    """Returns an Identity, Switch, Enter or the like that has the constants `given`, by its inputs."""
    made = copied(node)
    made.op = node.op.removeprefix("Ref")
    if node.op == "IdentityN":
        for number, handle in given.items():
            made.attr["T"].list.type[number] = handle.dtype
    elif 0 in given or "Merge" in node.op:
        made.attr["T"].type = next(iter(given.values())).dtype
    return made


def _first(node: NodeDef) -> int:
    """Returns the first input that goes to a function; the one before says which."""
    return 0 if "While" in node.op else 1


def to_functions(node: NodeDef, given: Mapping[int, Handle]) -> list[Handle | None]:
    """Returns what a While, If or Case hands to its functions, by their arguments."""
    data = [i for i in node.input if not i.startswith("^")]
    return [given.get(number) for number in range(_first(node), len(data))]


def with_types(node: NodeDef, given: Mapping[int, Handle]) -> NodeDef:
    """Returns a While, If or Case that has the constants `given`, by its inputs."""
    made = copied(node)
    is_while = "While" in node.op
    types = made.attr["T" if is_while else "Tin"].list.type
    shapes = made.attr["output_shapes"].list.shape if is_while else ()
    for number, handle in enumerate(to_functions(node, given)):
        if handle and number < len(types):
            types[number] = handle.dtype
        if handle and number < len(shapes):
            shapes[number].CopyFrom(tensor_shape_pb2.TensorShapeProto(unknown_rank=True))
    return made
