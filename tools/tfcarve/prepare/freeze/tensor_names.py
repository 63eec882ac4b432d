"""References to tensors and nodes in a graph. Pure."""

import re

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph.graph import CONTROL, Ref

_NUMBER = re.compile(r"[0-9]{1,9}\Z")


def parsed(reference: str) -> tuple[str, int]:
    """Splits an input of a NodeDef into node and output: `a` is output 0, `^a` is output CONTROL.

    Raises InvalidInput if there is no number after the colon.
    """
    if reference.startswith("^"):
        return reference[1:], CONTROL
    node, colon, port = reference.rpartition(":")
    if colon and not _NUMBER.match(port):
        raise InvalidInput(f"{reference!r} is not a tensor: expected NODE or NODE:1")
    return (node, int(port)) if colon else (reference, 0)


def reference(node: str, port: int) -> str:
    """Returns the input that refers to an output of a node; the inverse of `parsed`."""
    return Ref(node, port).text()
