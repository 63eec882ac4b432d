"""Checks the values of constants, and the functions that attributes name. Pure.

Source: ConstantOp in tensorflow/core/kernels/constant_op.cc; Instantiate in tensorflow/core/common_runtime/function.cc.
"""

from collections.abc import Iterator, Mapping, Sequence

from tfcarve.models.node_use import AttrValue, NodeUse
from tfcarve.validity.fault import Fault, Reason, fault
from tfcarve.validity.known_ops import Definitions

_VALUE = Reason("the value of a constant has another type than the constant")
_FUNCTION = Reason("a node calls a function that the model does not have")
_CONSTANTS = frozenset(("Const", "HostConst"))


def _called(attrs: Mapping[str, AttrValue]) -> Iterator[str]:
    for name, value in attrs.items():
        if name.startswith("_"):
            continue
        if value.kind == "func":
            yield value.value
        elif value.kind == "list(func)":
            yield from value.value


def faults(uses: Sequence[NodeUse], definitions: Definitions) -> Iterator[Fault]:
    """Yields the constants with a value of a wrong type, and the nodes with an unknown function.

    Args:
      uses: the nodes.
      definitions: returns the definition of an op or function; None if it is unknown: its nodes are not checked.
    """
    for use in uses:
        if use.op in _CONSTANTS:
            value, dtype = use.attrs.get("value"), use.attrs.get("dtype")
            if value is None or dtype is None or (value.kind, dtype.kind) != ("tensor", "type"):
                continue  # attributes.py reports it
            if value.value[0] != dtype.value:
                detail = f"is of type {dtype.value}, its value of type {value.value[0]}"
                yield fault(use, _VALUE, detail)
        for name in _called(use.attrs):
            if name and definitions(name) is None and definitions(use.op) is not None:
                yield fault(use, _FUNCTION, f"calls {name}")
