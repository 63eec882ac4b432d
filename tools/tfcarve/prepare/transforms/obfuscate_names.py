"""obfuscate_names: gives all nodes except inputs and outputs short, meaningless names.

Source: tensorflow/tools/graph_transforms/obfuscate_names.cc.
"""

import itertools
import string
from collections.abc import Iterator

from tfcarve.prepare.context import Context
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.transforms.rename_node import renamed

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_CHARACTERS = string.digits + string.ascii_lowercase + string.ascii_uppercase


def _short_names() -> Iterator[str]:
    """Yields 0, 1, … Z, 10, 11, …: numbers in base 62."""
    for number in itertools.count():
        name, rest = "", number
        while True:
            rest, last = divmod(rest, len(_CHARACTERS))
            name = _CHARACTERS[last] + name
            if not rest:
                break
        yield name


def apply(graph: Graph, context: Context) -> Graph:
    """Renames the nodes."""
    preserved = context.preserved()
    free = (name for name in _short_names() if name not in preserved)
    return renamed(
        graph, {node.name: next(free) for node in graph.nodes if node.name not in preserved}
    )
