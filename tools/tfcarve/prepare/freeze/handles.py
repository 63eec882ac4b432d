"""Finds the tensors of a graph that are variables and tables.

Source of the ops that pass them on: tensorflow/core/ops/{array,control_flow,functional}_ops.cc.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tfcarve.prepare.freeze import tensor_names
from tfcarve.prepare.freeze.tables import Content
from tfcarve.prepare.graph.messages import NodeDef, TensorProto

Port = tuple[str, int]
_T = TypeVar("_T")

_FIRST_TO_ALL = frozenset((
    "Identity", "RefIdentity", "Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration",
    "Switch", "RefSwitch", "Merge", "RefMerge",
))  # fmt: skip
_EACH_TO_ITS_OWN = frozenset(("IdentityN", "While", "StatelessWhile"))


@dataclass(frozen=True, slots=True)
class Handle:
    """A variable or a table.

    Attributes:
      name: the name of its node.
      value: the tensor that replaces it, and that While and If pass on.
      content: the content of a table; None for a variable.
    """

    name: str
    value: TensorProto
    content: Content | None = None

    @property
    def dtype(self) -> int:
        """The value's type, a number from types.proto."""
        return self.value.dtype

    @property
    def description(self) -> str:
        """A description for messages."""
        return f"the {'table' if self.content else 'variable'} {self.name!r}"


def _outputs(node: NodeDef, port: int) -> Iterable[int]:
    if node.op in ("Merge", "RefMerge"):
        return (0,)
    if node.op in _FIRST_TO_ALL:
        return (0, 1) if node.op in ("Switch", "RefSwitch") else (0,)
    return (port,) if node.op in _EACH_TO_ITS_OWN else ()


def propagate(nodes: Iterable[NodeDef], known: Mapping[Port, _T]) -> dict[Port, _T]:
    """Returns `known`, and all tensors that pass on its variables and tables. Any values may describe them."""
    consumers: dict[Port, list[tuple[NodeDef, int]]] = defaultdict(list)
    for node in nodes:
        if node.op in _FIRST_TO_ALL | _EACH_TO_ITS_OWN:
            for number, i in enumerate(node.input):
                consumers[tensor_names.parsed(i)].append((node, number))
    found: dict[Port, _T] = {}
    todo = list(known.items())
    while todo:
        port, handle = todo.pop()
        if port not in found:
            found[port] = handle
            for node, number in consumers[port]:
                # The second input of Switch is the predicate.
                if number == 0 or node.op not in _FIRST_TO_ALL or "Merge" in node.op:
                    todo += [((node.name, output), handle) for output in _outputs(node, number)]
    return found
