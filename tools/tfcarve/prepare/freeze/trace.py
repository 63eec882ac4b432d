"""Traces a tensor of a graph to its origin, and computes its value if it is constant."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze import tensor_names
from tfcarve.prepare.freeze.computed import computed
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.prune import needed
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

_SAME = frozenset(("Identity", "RefIdentity", "Snapshot", "StopGradient"))
_INPUTS = frozenset(("Placeholder", "PlaceholderV2"))


class Trace:
    """The nodes of a graph by name.

    A variable that the graph assigns once is traced to the assigned value: such a variable holds the path of an asset.
    """

    def __init__(self, nodes: Iterable[NodeDef], ops: Ops) -> None:
        self.nodes: Mapping[str, NodeDef] = {node.name: node for node in nodes}
        self._ops = ops
        self._assigned: dict[str, list[str]] = defaultdict(list)
        for node in self.nodes.values():
            if node.op == "AssignVariableOp" and len(node.input) >= 2:
                self._assigned[node.input[0]].append(node.input[1])

    def origin(self, reference: str) -> tuple[NodeDef | None, int]:
        """Returns the node and output that a tensor comes from, through nodes that pass on their input.

        The node is None if the graph does not have it.
        """
        name, port = tensor_names.parsed(reference)
        for _ in range(len(self.nodes)):
            node = self.nodes.get(name)
            if node is None or not node.input:
                break
            assigned = self._assigned.get(node.input[0], ())
            if node.op == "ReadVariableOp" and len(assigned) == 1:
                name, port = tensor_names.parsed(assigned[0])
            elif node.op in _SAME:
                name, port = tensor_names.parsed(node.input[0])
            else:
                break
        return self.nodes.get(name), port

    def value(self, reference: str) -> Array:
        """Returns the value of a constant tensor.

        Raises InvalidInput if it depends on an input or on state.
        """
        node, port = self.origin(reference)
        if node is not None and node.op == "Const":
            return tensors.to_array(node.attr["value"].tensor, node.name)
        names = needed(self.nodes.values(), [node.name] if node is not None else [])
        below = [self.nodes[name] for name in self.nodes if name in names]
        for one in below:
            if self._ops.is_stateful(one) or one.op in _INPUTS or _has_functions(one):
                raise InvalidInput(f"it depends on the node {one.name!r} ({one.op})")
        if node is None:
            raise InvalidInput(f"the graph does not have the tensor {reference!r}")
        (found,) = computed(self._ops.evaluator, below, [tensor_names.reference(node.name, port)])
        return tensors.to_array(found, node.name)


def _has_functions(node: NodeDef) -> bool:
    return any(v.HasField("func") or v.list.func for v in node.attr.values())
