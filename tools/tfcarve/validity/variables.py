"""Inputs of a wrong type, above all constants in place of variables. Pure."""

from tfcarve.models.node_use import NodeUse
from tfcarve.validity.fault import Fault, Reason, fault

_FROZEN = (
    "the graph was frozen with nodes that train variables or restore a checkpoint: remove the nodes that the outputs do not need: "
    "tfcarve transform MODEL -o OUT --outputs NAMES --transforms strip_unused_nodes; if an output needs these nodes, freeze "
    "the original model with tfcarve freeze"
)
_VALUES = frozenset(("Const", "Identity", "HostConst"))


def wrong_type(
    use: NodeUse, text: str, source: NodeUse | None, types: tuple[object, object]
) -> Fault:
    """Returns the fault of an input of a wrong type.

    Args:
      use: the node.
      text: the input.
      source: the node that the input names; None if it is an argument of the function.
      types: the type that the node takes, and the type of the input.
    """
    expected, actual = map(str, types)
    op = source.op if source else "an argument"
    detail = f"takes {text} ({op}) of type {actual}, must take {expected}"
    if op in _VALUES and (expected.endswith("_ref") or expected == "resource"):
        what = f"op {use.op!r} needs a variable, but the graph has a constant in its place"
        return fault(use, Reason(what, _FROZEN), detail)
    return fault(use, Reason(f"op {use.op!r} has an input of a wrong type"), detail)
