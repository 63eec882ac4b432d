"""Connects the graph of a program with the functions of its control flow. Pure.

Source of the order of inputs: tensorflow/core/ops/functional_ops.cc.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.bodies import Body
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.ops import CONTROL_FLOW, functions_of
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.graph.graph import CONTROL, data_texts
from tfcarve.prepare.graph.messages import NodeDef

# The name of the graph among the bodies of a program.
MAIN = ""


class Vertex(NamedTuple):
    """An output of a node, or an argument, of a body."""

    body: str
    node: str
    port: int = 0


@dataclass(frozen=True, slots=True)
class _Caller:
    """The While, If or Case that calls a function, and the body that it is in."""

    body: str
    node: NodeDef

    def is_loop(self) -> bool:
        return "While" in self.node.op

    def input(self, number: int) -> Vertex | None:
        """Returns the origin of an argument; If and Case have a selector before their arguments."""
        data = data_texts(self.node)
        place = number if self.is_loop() else number + 1
        return Vertex(self.body, *parsed(data[place])) if place < len(data) else None


class Links:
    """A program as one graph, in which data flows into functions and back.

    Attributes:
      bodies: the graph and its functions by name, callers first.
      nodes: the nodes of each body by name.
    """

    def __init__(self, program: Program) -> None:
        """Connects the bodies; raises InvalidInput if a function does not exist."""
        self.bodies: dict[str, Body] = {MAIN: program.main}
        self.nodes: dict[str, Mapping[str, NodeDef]] = {}
        self._callers: dict[str, _Caller] = {}
        self._arguments: dict[str, Mapping[str, int]] = {}
        todo = [MAIN]
        while todo:
            name = todo.pop()
            body = self.bodies[name]
            self.nodes[name] = {node.name: node for node in body.nodes}
            self._arguments[name] = {a.name: number for number, a in enumerate(body.arguments)}
            for node in body.nodes:
                for function in functions_of(node) if node.op in CONTROL_FLOW else ():
                    if function.name not in program.functions:
                        raise InvalidInput(
                            f"node {node.name!r}: the graph does not have the function {function.name!r}"
                        )
                    self.bodies[function.name] = program.functions[function.name]
                    self._callers[function.name] = _Caller(name, node)
                    todo.append(function.name)

    def op(self, vertex: Vertex) -> str:
        """Returns the op of a node; "" for an argument."""
        node = self.nodes[vertex.body].get(vertex.node)
        return "" if node is None else str(node.op)

    def number(self, vertex: Vertex) -> int | None:
        """Returns the number of an argument; None if the vertex is not one."""
        return self._arguments[vertex.body].get(vertex.node)

    def before(self, vertex: Vertex) -> Iterator[Vertex]:
        """Yields the vertices from which data flows into `vertex`."""
        node = self.nodes[vertex.body].get(vertex.node)
        if node is None:
            yield from self.origins(vertex)
        elif node.op in CONTROL_FLOW:
            yield from self._into(vertex, node)
        else:
            yield from (Vertex(vertex.body, *parsed(text)) for text in data_texts(node))

    def origins(self, argument: Vertex) -> Iterator[Vertex]:
        """Yields the vertices from which an argument gets its value; an argument of a loop also from the last iteration."""
        caller = self._callers.get(argument.body)
        number = self.number(argument)
        if caller is None or number is None:
            return
        first = caller.input(number)
        if first is not None:
            yield first
        if caller.is_loop():
            yield from self._result(caller.node.attr["body"].func.name, number)

    def deciding(self, body: str) -> Iterator[Vertex]:
        """Yields the vertices that determine whether a function runs."""
        while body in self._callers:
            caller = self._callers[body]
            if caller.is_loop():
                yield from self._result(caller.node.attr["cond"].func.name, 0)
            else:
                yield from (
                    Vertex(caller.body, *parsed(text)) for text in data_texts(caller.node)[:1]
                )
            body = caller.body

    def _into(self, vertex: Vertex, node: NodeDef) -> Iterator[Vertex]:
        is_loop = "While" in node.op
        data = data_texts(node)
        place = vertex.port if is_loop else 0
        if place < len(data):
            yield Vertex(vertex.body, *parsed(data[place]))
        for role in CONTROL_FLOW[node.op]:
            value = node.attr[role]
            for function in [value.func] if value.HasField("func") else value.list.func:
                yield from self._result(function.name, 0 if role == "cond" else vertex.port)

    def _result(self, function: str, number: int) -> Iterator[Vertex]:
        results = self.bodies[function].results
        if number < len(results):
            yield Vertex(function, *parsed(results[number].tensor))

    def reached(self, roots: Iterable[Vertex]) -> dict[Vertex, Vertex | None]:
        """Returns `roots` and all vertices from which data flows into them, each with the next one on the shortest way."""
        found: dict[Vertex, Vertex | None] = dict.fromkeys(roots)
        todo = deque(found)
        while todo:
            vertex = todo.popleft()
            for source in self.before(vertex):
                if source not in found and source.port != CONTROL:
                    found[source] = vertex
                    todo.append(source)
        return found
