"""The branch that a condition takes for a value of its predicate. Pure.

Source: ToBool and CaseOp in tensorflow/core/kernels/functional_ops.cc, SwitchNOp in control_flow_ops.cc there.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tfcarve.control_flow import ALL_SWITCHES
from tfcarve.prepare.graph.graph import data_texts
from tfcarve.prepare.graph.messages import NameAttrList, NodeDef

_IFS = frozenset(("If", "StatelessIf"))
_CASES = frozenset(("Case", "StatelessCase"))
# The value of one input that determines the result, whatever the other input is.
_DECISIVE = {"LogicalAnd": False, "LogicalOr": True}

# Returns the value of a scalar, an input of a node; None if it is unknown before the graph runs.
Scalar = Callable[[str], Any | None]


def branches(node: NodeDef) -> list[NameAttrList]:
    """Returns the functions of an If or Case; an empty list for other nodes."""
    if node.op in _IFS:
        return [node.attr[key].func for key in ("else_branch", "then_branch") if key in node.attr]
    return list(node.attr["branches"].list.func) if node.op in _CASES else []


def branch(node: NodeDef, scalar: Scalar) -> NameAttrList | None:
    """Returns the function that an If or Case always calls; None if it is unknown, or for another node."""
    functions, data = branches(node), data_texts(node)
    value = scalar(data[0]) if functions and data else None
    if value is None:
        return None
    number = int(bool(value)) if node.op in _IFS else int(value)
    return functions[number if 0 <= number < len(functions) else -1]


def taken(nodes: Iterable[NodeDef], scalar: Scalar) -> Iterator[tuple[str, int]]:
    """Yields the names of the Switches whose predicate is known, with the number of the output that has a value."""
    for node in nodes:
        data = data_texts(node) if node.op in ALL_SWITCHES else ()
        value = scalar(data[1]) if len(data) == 2 else None
        if value is not None:
            last = node.attr["num_outs"].i - 1 if node.op == "_SwitchN" else 1
            number = int(value)
            yield node.name, number if 0 <= number <= last else last


def logical(node: NodeDef, scalar: Scalar) -> bool | None:
    """Returns the value of a LogicalNot, LogicalAnd or LogicalOr of scalars; None if it is unknown, or for another node."""
    if node.op not in {*_DECISIVE, "LogicalNot"}:
        return None
    values = [scalar(text) for text in data_texts(node)]
    if node.op == "LogicalNot":
        return None if values[0] is None else not values[0]
    decisive = _DECISIVE[node.op]
    if any(value is not None and bool(value) == decisive for value in values):
        return decisive
    return None if None in values else not decisive
