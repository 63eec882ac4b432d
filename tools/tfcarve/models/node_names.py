"""Valid and unique names of nodes, and the names of a signature's inputs and outputs in its frozen graph. Pure.

An input or output keeps its name in the signature if the name is valid for a node. Invalid characters become `_`, and a
leading `_` becomes `t_`. An output with the name of an input gets the suffix `_output`.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

# Source: IsValidNodeName in tensorflow/core/common_runtime/graph_constructor.cc.
_START, _REST = "A-Za-z0-9.", "[A-Za-z0-9_./-]*"
_MORE = f"{_REST}(?:>[{_START}]{_REST})*"
_NODE_NAME = re.compile(f"[{_START}]{_MORE}")
_NODE_NAME_IN_FUNCTION = re.compile(f"[{_START}_]{_MORE}")
_NO_NODE_NAME = re.compile(f"[^A-Za-z0-9_./>-]|>(?![{_START}])")


def is_node_name(text: str, in_function: bool = False) -> bool:
    """Returns whether TensorFlow accepts `text` as the name of a node of a graph, or of a function's body."""
    return bool((_NODE_NAME_IN_FUNCTION if in_function else _NODE_NAME).fullmatch(text))


def as_node_name(text: str) -> str:
    """Returns `text` as a valid node name."""
    name = _NO_NODE_NAME.sub("_", text)
    return name if is_node_name(name) else f"t{name}"


class Names:
    """A set of used names, which generates unused names."""

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


def _unique(wanted: Sequence[tuple[str, str]], names: Names) -> list[str]:
    """Returns a unique node name for each name and the node name that it should have; unchanged names come first."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place][0] != wanted[place][1])
    found = {place: names.unique(wanted[place][1]) for place in order}
    return [found[place] for place in range(len(wanted))]


def frozen_names(inputs: Sequence[str], outputs: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the names of the nodes in the frozen graph for the inputs and outputs of a signature, in their order."""
    names = Names(())
    ins = _unique([(name, as_node_name(name)) for name in inputs], names)
    wanted = [(name, as_node_name(name)) for name in outputs]
    taken = set(ins)
    outs = _unique(
        [(name, f"{node}_output" if node in taken else node) for name, node in wanted], names
    )
    return ins, outs


def meant(text: str, nodes: Container[str], named: Mapping[str, str]) -> str:
    """Returns the tensor that a user means by the name of a signature's input or output, or of a tensor.

    Args:
      text: the name: `my output`, `my_output` or `my_output:0`.
      nodes: the names of the graph's nodes.
      named: the nodes of the signature's inputs or outputs, by their names in the signature; empty if they are unknown.
    """
    known = text if text in named else text.removesuffix(":0")
    if known in named:
        return named[known]
    if text.partition(":")[0] in nodes:
        return text
    node = as_node_name(text)
    return node if node in nodes else text
