"""The inputs of nodes as texts. Pure.

Source: ParseTensorName in tensorflow/core/graph/tensor_id.cc.
"""

from collections.abc import Sequence

from tfcarve.models.node_use import NodeUse
from tfcarve.validity.fault import Reason

# Longer numbers are too large for an output.
_MAX_DIGITS = 9
_TOO_LARGE = 10**_MAX_DIGITS
UNKNOWN = Reason("an input does not exist")


def wrong_number(use: NodeUse) -> Reason:
    """Returns the reason for a node with too many or too few inputs."""
    return Reason(f"op {use.op!r} has another number of inputs than its definition says")


def tensor(text: str) -> tuple[str, int]:
    """Returns the node and the output that an input of a node of a graph names."""
    name, colon, digits = text.rpartition(":")
    if colon and name and digits.isascii() and digits.isdecimal():
        return name, int(digits) if len(digits) <= _MAX_DIGITS else _TOO_LARGE
    return text, 0


def item(text: str) -> int:
    """Returns the number at the end of an input of a node of a function's body; -1 if it is not one."""
    if len(text) > _MAX_DIGITS or not text.isdecimal():
        return -1
    number = int(text)
    return number if str(number) == text else -1


def data(use: NodeUse) -> Sequence[str]:
    """Returns the inputs of a node without the control inputs, which come last."""
    for place, text in enumerate(use.inputs):
        if text.startswith("^"):
            return use.inputs[:place]
    return use.inputs
