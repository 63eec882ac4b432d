"""Removes the branches between Switch and Merge that never run because their predicate is constant. Pure.

Source: tensorflow/core/common_runtime/{executor,propagator_state,lower_case_op}.cc, tensorflow/core/ops/control_flow_ops.cc.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tfcarve.control_flow import MERGES
from tfcarve.prepare.graph.graph import (
    CONTROL,
    Graph,
    Ref,
    data_inputs,
    ref,
    set_inputs,
    topological_order,
    unique_name,
)
from tfcarve.prepare.graph.messages import NodeDef

_INT32 = 3


class Branches:
    """The nodes of a graph, and which of them never run.

    Args:
      nodes: with unique names; inputs that are not among them, such as a function's arguments, have a value.
      taken: the number of the output that has a value, by the name of each Switch with a constant predicate.

    Raises:
      InvalidInput: the graph has a cycle.
    """

    def __init__(self, nodes: Sequence[NodeDef], taken: Mapping[str, int]) -> None:
        self._nodes = nodes
        self._taken = taken
        self._alive: dict[str, bool] = dict.fromkeys((node.name for node in nodes), False)
        for node in topological_order(Graph(list(nodes))):
            self._alive[node.name] = self._runs(node)

    def is_dead(self, source: Ref) -> bool:
        """Returns whether a tensor never has a value or, for a control dependency, a node never runs."""
        if source.output not in (CONTROL, self._taken.get(source.node, source.output)):
            return True
        return not self._alive.get(source.node, True)

    def _runs(self, node: NodeDef) -> bool:
        if node.op in MERGES:
            # The back edge of a loop has no value yet; the other input, an Enter, determines whether the loop runs.
            return not all(map(self.is_dead, data_inputs(node)))
        return not any(self.is_dead(ref(text)) for text in node.input)

    def deciding(self, name: str) -> set[str]:
        """Returns the Switches with a constant predicate that a node depends on."""
        known = {node.name: node for node in self._nodes}
        found: set[str] = set()
        todo = [name]
        while todo:
            node = known.get(todo.pop())
            if node is not None and node.name not in found:
                found.add(node.name)
                todo += [ref(text).node for text in node.input]
        return found & self._taken.keys()

    def pruned(self) -> tuple[list[NodeDef], dict[Ref, Ref]]:
        """Returns the nodes that run, and the new names of their tensors; nodes that change are copies.

        A Switch with a constant predicate, and a Merge with only one input left, become Identities.
        """
        names = set(self._alive)
        read = {source for node in self._nodes for source in data_inputs(node)}
        renamed: dict[Ref, Ref] = {}
        listed: list[NodeDef] = []
        numbers: list[NodeDef] = []
        for node in self._nodes:
            if not self._alive[node.name]:
                continue
            if node.name in self._taken:
                renamed[Ref(node.name, self._taken[node.name])] = Ref(node.name)
                listed.append(_identity(node, [data_inputs(node)[0], *_control(node)]))
            elif any(self.is_dead(ref(text)) for text in node.input):
                listed.append(self._merge(node))
                if Ref(node.name, 1) in read:
                    renamed[Ref(node.name, 1)] = Ref(unique_name(f"{node.name}/value_index", names))
                    numbers += self._index(node, renamed[Ref(node.name, 1)].node, names)
            else:
                listed.append(node)
        return [*(_rewired(node, renamed) for node in listed), *numbers], renamed

    def _left(self, node: NodeDef) -> list[int]:
        """Returns the numbers of a Merge's inputs that may have a value."""
        return [n for n, source in enumerate(data_inputs(node)) if not self.is_dead(source)]

    def _merge(self, node: NodeDef) -> NodeDef:
        """Returns a Merge without dead inputs."""
        data = [data_inputs(node)[number] for number in self._left(node)]
        sources = [*data, *(source for source in _control(node) if not self.is_dead(source))]
        if len(data) == 1:
            return _identity(node, sources)
        created = _copied(node)
        created.attr["N"].i = len(data)
        set_inputs(created, sources)
        return created

    def _index(self, node: NodeDef, name: str, names: set[str]) -> Iterator[NodeDef]:
        """Yields nodes that compute a Merge's second output, the number of the input that has a value.

        The last one is `name`; their control inputs make them run where the Merge runs.
        """
        left, merge = self._left(node), Ref(node.name, CONTROL)
        if len(left) == 1:
            yield _constant(node, name, merge, left[0])
            return
        table = _constant(node, unique_name(f"{name}/numbers", names), merge, *left)
        table.attr["value"].tensor.tensor_shape.dim.add(size=len(left))
        axis = _constant(node, unique_name(f"{name}/axis", names), merge, 0)
        gather = type(node)(name=name, op="GatherV2")
        set_inputs(gather, [Ref(table.name), Ref(node.name, 1), Ref(axis.name)])
        for key in ("Tparams", "Tindices", "Taxis"):
            gather.attr[key].type = _INT32
        yield from (table, axis, gather)


def _control(node: NodeDef) -> list[Ref]:
    return [ref(text) for text in node.input if text.startswith("^")]


def _copied(node: NodeDef) -> NodeDef:
    created = type(node)()
    created.CopyFrom(node)
    return created


def _identity(node: NodeDef, sources: Sequence[Ref]) -> NodeDef:
    """Returns an Identity with the name and type of a Switch or Merge."""
    op = "RefIdentity" if node.op.startswith("Ref") else "Identity"
    created = type(node)(name=node.name, op=op, device=node.device)
    created.attr["T"].type = node.attr["T"].type
    set_inputs(created, sources)
    return created


def _constant(like: NodeDef, name: str, after: Ref, *values: int) -> NodeDef:
    """Returns a scalar int32 Const; the message has the class of `like`."""
    created = type(like)(name=name, op="Const", device=like.device)
    created.attr["dtype"].type = _INT32
    tensor = created.attr["value"].tensor
    tensor.dtype = _INT32
    tensor.tensor_shape.SetInParent()
    tensor.tensor_content = np.array(values, "<i4").tobytes()
    set_inputs(created, [after])
    return created


def _rewired(node: NodeDef, renamed: Mapping[Ref, Ref]) -> NodeDef:
    """Returns a node that reads the replacements of tensors."""
    sources = [ref(text) for text in node.input]
    if renamed.keys().isdisjoint(sources):
        return node
    created = _copied(node)
    set_inputs(created, [renamed.get(source, source) for source in sources])
    return created
