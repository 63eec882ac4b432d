"""Loops of a graph in a common form, whether functional (While) or lowered to a frame. Pure.

Source: tensorflow/core/ops/functional_ops.cc (While, StatelessWhile), tensorflow/core/common_runtime/lower_while_op.cc
(lowering to Enter, Merge, LoopCond, Switch, NextIteration, Exit).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tfcarve.prepare import functions, nodes
from tfcarve.prepare.foldable import PASS_THROUGH
from tfcarve.prepare.functions import OpDefs
from tfcarve.prepare.graph import Graph, Ref, consumers, control_inputs, data_inputs
from tfcarve.prepare.messages import FunctionDef, NodeDef

# Ops that call functions for the condition and the body.
CALLS = frozenset(("StatelessWhile", "While"))
# A graph without these has no loop.
OPS = CALLS | {"Enter"}
# The length of a chain of Identity ops that is followed.
_MOST_COPIES = 100


@dataclass(frozen=True)
class Scope:
    """The nodes in which tensors are looked up.

    Attributes:
      nodes: the nodes by name.
      variables: the numbers of the loop variables, by tensor.
    """

    nodes: Mapping[str, NodeDef]
    variables: Mapping[Ref, int]

    def origin(self, source: Ref) -> Ref:
        """Returns the tensor that `source` is a copy of, through Identity and similar ops."""
        for _ in range(_MOST_COPIES):
            node = self.nodes.get(source.node)
            if source in self.variables or node is None or node.op not in PASS_THROUGH:
                break
            read = data_inputs(node)
            if source.output or len(read) != 1:
                break
            source = read[0]
        return source

    def made_by(self, source: Ref, ops: Collection[str]) -> NodeDef | None:
        """Returns the node whose first output `source` is, or is a copy of; None if its op is not in `ops`."""
        found = self.origin(source)
        node = self.nodes.get(found.node)
        if node is None or found in self.variables or found.output or node.op not in ops:
            return None
        return node

    def variable(self, source: Ref) -> int | None:
        """Returns the number of the variable that a tensor is, or is a copy of, or None."""
        return self.variables.get(self.origin(source))


@dataclass(frozen=True)
class Variable:
    """A variable of a loop.

    Attributes:
      start: the tensor of the graph with its initial value.
      next: the tensor of the body with its value in the next iteration.
      finals: the tensors of the graph with its value after the loop.
    """

    start: Ref
    next: Ref
    finals: tuple[Ref, ...]


@dataclass(frozen=True)
class Loop:
    """A loop: while the condition holds, all variables get their next values.

    Attributes:
      name: the name of the While; also of a lowered one, if it can be recovered.
      condition: the tensor of `tests` that decides whether there is another iteration.
      tests: the nodes of the condition.
      body: the nodes of an iteration.
      variables: the variables, by number.
      own: the names of the graph's nodes that form the loop.
      waits: the names of the nodes in its control inputs.
      device: the device of its nodes.
    """

    name: str
    condition: Ref
    tests: Scope
    body: Scope
    variables: tuple[Variable, ...]
    own: frozenset[str]
    waits: tuple[str, ...]
    device: str

    def is_invariant(self, number: int) -> bool:
        """Returns whether a variable has the same value in all iterations."""
        return self.body.variable(self.variables[number].next) == number


@dataclass(frozen=True)
class _Function:
    """A function of a While: its body, with the arguments as variables, and its results."""

    scope: Scope
    results: tuple[Ref, ...]


def _function(function: FunctionDef, op_defs: OpDefs) -> _Function | None:
    """Reads a function; returns None if it is damaged or has unknown ops."""
    arguments = [arg.name for arg in function.signature.input_arg]
    results = [arg.name for arg in function.signature.output_arg]
    try:
        graph, _, _ = functions.body(function, op_defs)
        returned = [functions.flat_return(function, name, op_defs) for name in results]
    except functions.Unknown:
        return None
    own = {node.name: node for node in graph.nodes[len(arguments) :]}
    if len(own.keys() | set(arguments)) < len(graph.nodes):
        return None
    numbers = {Ref(name): number for number, name in enumerate(arguments)}
    return _Function(Scope(own, numbers), tuple(returned))


def _calling(node: NodeDef, known: Mapping[str, _Function | None]) -> Loop | None:
    """Reads a While; returns None if its functions are missing or have other arguments."""
    called = [node.attr[key].func.name if key in node.attr else "" for key in ("cond", "body")]
    condition, body = (known.get(name) for name in called)
    if condition is None or body is None or len(condition.results) != 1:
        return None
    starts = data_inputs(node)
    sizes = (len(condition.scope.variables), len(body.scope.variables), len(body.results))
    if any(size != len(starts) for size in sizes):
        return None
    finals = [(Ref(node.name, number),) for number in range(len(starts))]
    return Loop(
        name=node.name,
        condition=condition.results[0],
        tests=condition.scope,
        body=body.scope,
        variables=tuple(map(Variable, starts, body.results, finals)),
        own=frozenset((node.name,)),
        waits=tuple(control_inputs(node)),
        device=node.device,
    )


def _calling_loops(graph: Graph, op_defs: OpDefs) -> list[Loop | None]:
    listed = [node for node in graph.nodes if node.op in CALLS]
    called = functions.called(listed)
    named = {f.signature.name: f for f in graph.library.function}
    known = {name: _function(f, op_defs) for name, f in named.items() if name in called}
    return [_calling(node, known) for node in listed]


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
        return sorted({node.name for place, node in readers if place == output and node.op == op})

    def source(self, node: NodeDef, op: str) -> NodeDef | None:
        """Returns the only node with op `op` that a node reads, or None if there are none or several."""
        read = [self.inside.get(source.node) for source in data_inputs(node)]
        found = [other for other in read if other is not None and other.op == op]
        return found[0] if len(found) == 1 else None


def _framed(name: str, enters: Sequence[NodeDef], inside: Mapping[str, NodeDef]) -> Loop | None:
    """Reads a frame; returns None if it does not have the structure of a lowered While."""
    frame = _Frame(inside)
    ends = _of_op(inside.values(), "LoopCond", 1)
    if len(ends) != 1 or any(len(data_inputs(node)) != 1 for node in enters):
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
        if any(data_inputs(inside[s]) != [Ref(merge.name), Ref(ends[0].name)] for s in switches):
            return None
        exits = [Ref(exit_) for s in switches for exit_ in frame.readers(s, 0, "Exit")]
        tested[Ref(merge.name)] = len(variables)
        now.update((Ref(switch, 1), len(variables)) for switch in switches)
        start_of, next_of = data_inputs(start)[0], data_inputs(back)[0]
        variables.append(Variable(start_of, next_of, tuple(exits)))
    if sum(n.op == "Exit" for n in inside.values()) != sum(len(v.finals) for v in variables):
        return None
    waits = dict.fromkeys(wait for node in enters for wait in control_inputs(node))
    if not inside.keys().isdisjoint(waits):
        return None
    return Loop(
        # A frame may have any name; it is used only if it is the prefix of a node's name.
        name=name if ends[0].name.startswith(f"{name}/") else ends[0].name,
        condition=data_inputs(ends[0])[0],
        tests=Scope(inside, tested),
        body=Scope(inside, now),
        variables=tuple(variables),
        own=frozenset(inside),
        waits=tuple(waits),
        device=enters[0].device,
    )


def _framed_loops(graph: Graph) -> list[Loop | None]:
    frames = _frames(graph)
    inside = _inside(graph, frames)
    return [
        _framed(name.decode(errors="replace"), frames[name], own) for name, own in inside.items()
    ]


def read(graph: Graph, op_defs: OpDefs) -> list[Loop]:
    """Returns the loops of a graph, without loops in function bodies and loops of an unknown structure.

    Args:
      graph: untrusted: functions may be missing or have other numbers of arguments, and edges may form cycles.
      op_defs: TensorFlow's OpDefs.
    """
    found = [*_calling_loops(graph, op_defs), *_framed_loops(graph)]
    return [loop for loop in found if loop is not None]
