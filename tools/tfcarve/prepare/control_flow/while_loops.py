"""Reads functional loops: While and StatelessWhile. Pure.

Source: tensorflow/core/ops/functional_ops.cc.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tfcarve.prepare.control_flow.loops import Loop, Scope, Variable
from tfcarve.prepare.graph import functions
from tfcarve.prepare.graph.functions import OpDefs
from tfcarve.prepare.graph.graph import Graph, Ref, control_inputs, data_inputs
from tfcarve.prepare.graph.messages import FunctionDef, NodeDef

# Ops that call functions for the condition and the body.
OPS = frozenset(("StatelessWhile", "While"))


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
        returned = [functions.result_ref(function, name, op_defs) for name in results]
    except functions.UnsupportedBody:
        return None
    own = {node.name: node for node in graph.nodes[len(arguments) :]}
    if len(own.keys() | set(arguments)) < len(graph.nodes):
        return None
    numbers = {Ref(name): number for number, name in enumerate(arguments)}
    return _Function(Scope(own, numbers), tuple(returned))


def _while(node: NodeDef, known: Mapping[str, _Function | None]) -> Loop | None:
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
        control_inputs=tuple(control_inputs(node)),
        device=node.device,
    )


def while_loops(graph: Graph, op_defs: OpDefs) -> list[Loop | None]:
    """Returns the functional loops of a graph; None for each one with an unknown structure."""
    listed = [node for node in graph.nodes if node.op in OPS]
    called = functions.called(listed)
    named = {f.signature.name: f for f in graph.library.function}
    known = {name: _function(f, op_defs) for name, f in named.items() if name in called}
    return [_while(node, known) for node in listed]
