"""Names of nodes and tensors in a graph. Pure."""

import re
from collections.abc import Iterable, Iterator

from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import CONTROL, Ref

# Source: the regular expression for node names in tensorflow/core/graph/graph_constructor.cc and framework/ops.py.
_NODE_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*\Z")
_NO_NODE_NAME = re.compile(r"[^A-Za-z0-9_.\\/>-]")
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


def as_node_name(text: str) -> str:
    """Returns `text` as a valid node name; invalid characters become `_`."""
    name = _NO_NODE_NAME.sub("_", text)
    return name if _NODE_NAME.match(name) else f"t{name}"


class Names:
    """A set of used names that generates unused ones."""

    def __init__(self, used: Iterable[str]) -> None:
        self._used = set(used)
        self._next: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._used

    def _tries(self, name: str) -> Iterator[str]:
        if name not in self._next:
            yield name
        while True:
            number = self._next.get(name, 0) + 1
            self._next[name] = number
            yield f"{name}_{number}"

    def unique(self, name: str) -> str:
        """Returns `name`, with a numeric suffix if it is already used, and marks it as used."""
        found = next(one for one in self._tries(name) if one not in self._used)
        self._used.add(found)
        return found
