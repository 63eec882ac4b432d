"""Reads lowered loops: frames of Enter, Merge, LoopCond, Switch, NextIteration and Exit. Pure.

Source: tensorflow/core/common_runtime/lower_while_op.cc.
"""

from collections.abc import Iterable, Mapping, Sequence

from tfcarve.prepare.control_flow.loops import Loop, Scope, Variable
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, consumers, control_inputs, data_inputs
from tfcarve.prepare.graph.messages import NodeDef


def _frames(graph: Graph) -> dict[bytes, list[NodeDef]]:
    """Returns the Enter nodes of each frame, by frame name."""
    found: dict[bytes, list[NodeDef]] = {}
    for node in graph.nodes:
        if node.op == "Enter" and "frame_name" in node.attr:
            found.setdefault(node.attr["frame_name"].s, []).append(node)
    return found


def _inside(
    graph: Graph, frames: Mapping[bytes, Sequence[NodeDef]]
) -> dict[bytes, dict[str, NodeDef]]:
    """Returns the nodes of each frame, from Enter to Exit; frames that share a node are omitted."""
    users: dict[str, list[NodeDef]] = {}
    for source, readers in consumers(graph).items():
        users.setdefault(source.node, []).extend(readers)
    frame_of: dict[str, bytes] = {}
    found: dict[bytes, dict[str, NodeDef]] = {name: {} for name in frames}
    shared: set[bytes] = set()
    todo = [(node, name) for name, enters in frames.items() for node in enters]
    while todo:
        node, name = todo.pop()
        before = frame_of.setdefault(node.name, name)
        if before != name:
            shared |= {before, name}
        elif node.name not in found[name]:
            found[name][node.name] = node
            if node.op != "Exit":
                todo += [(user, name) for user in users.get(node.name, ())]
    return {name: inside for name, inside in found.items() if name not in shared}


def _of_op(listed: Iterable[NodeDef], op: str, inputs: int) -> list[NodeDef]:
    return [node for node in listed if node.op == op and len(data_inputs(node)) == inputs]


class _Frame:
    """The nodes of a frame, with their readers."""

    def __init__(self, inside: Mapping[str, NodeDef]) -> None:
        self.inside = inside
        self._readers: dict[str, list[tuple[int, NodeDef]]] = {}
        for node in inside.values():
            for source in data_inputs(node):
                self._readers.setdefault(source.node, []).append((source.output, node))

    def readers(self, name: str, output: int, op: str) -> list[str]:
        """Returns the names of the nodes with op `op` that read an output."""
        readers = self._readers.get(name, ())
        return sorted({node.name for index, node in readers if index == output and node.op == op})

    def source(self, node: NodeDef, op: str) -> NodeDef | None:
        """Returns the only node with op `op` that a node reads, or None if it reads no or several such nodes."""
        read = [self.inside.get(source.node) for source in data_inputs(node)]
        found = [other for other in read if other is not None and other.op == op]
        return found[0] if len(found) == 1 else None


def _framed(name: str, enters: Sequence[NodeDef], inside: Mapping[str, NodeDef]) -> Loop | None:
    """Reads a frame; returns None if it does not have the structure of a lowered While."""
    frame = _Frame(inside)
    loop_conds = _of_op(inside.values(), "LoopCond", 1)
    if len(loop_conds) != 1 or any(len(data_inputs(node)) != 1 for node in enters):
        return None
    variables: list[Variable] = []
    tested: dict[Ref, int] = {}
    now: dict[Ref, int] = {}
    for enter in enters:
        if nodes.flag(enter, "is_constant", False):
            tested[Ref(enter.name)] = now[Ref(enter.name)] = len(variables)
            variables.append(Variable(data_inputs(enter)[0], Ref(enter.name), ()))
    for merge in _of_op(inside.values(), "Merge", 2):
        start, back = frame.source(merge, "Enter"), frame.source(merge, "NextIteration")
        if start is None or back is None or len(data_inputs(back)) != 1:
            return None
        switches = frame.readers(merge.name, 0, "Switch")
        if any(
            data_inputs(inside[s]) != [Ref(merge.name), Ref(loop_conds[0].name)] for s in switches
        ):
            return None
        exits = [Ref(exit_) for s in switches for exit_ in frame.readers(s, 0, "Exit")]
        tested[Ref(merge.name)] = len(variables)
        now.update((Ref(switch, 1), len(variables)) for switch in switches)
        start_of, next_of = data_inputs(start)[0], data_inputs(back)[0]
        variables.append(Variable(start_of, next_of, tuple(exits)))
    if sum(n.op == "Exit" for n in inside.values()) != sum(len(v.finals) for v in variables):
        return None
    control = dict.fromkeys(name for node in enters for name in control_inputs(node))
    if not inside.keys().isdisjoint(control):
        return None
    return Loop(
        # A frame may have any name; it is used only if it is the prefix of a node's name.
        name=name if loop_conds[0].name.startswith(f"{name}/") else loop_conds[0].name,
        condition=data_inputs(loop_conds[0])[0],
        tests=Scope(inside, tested),
        body=Scope(inside, now),
        variables=tuple(variables),
        own=frozenset(inside),
        control_inputs=tuple(control),
        device=enters[0].device,
    )


def frame_loops(graph: Graph) -> list[Loop | None]:
    """Returns the lowered loops of a graph; None for each frame with an unknown structure."""
    frames = _frames(graph)
    inside = _inside(graph, frames)
    return [
        _framed(name.decode(errors="replace"), frames[name], own) for name, own in inside.items()
    ]
