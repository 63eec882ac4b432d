"""Unrolls loops."""

from dataclasses import replace

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.bodies import Body
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.loop_count import count
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.prune import pruned
from tfcarve.prepare.freeze.splice import Spliced
from tfcarve.prepare.freeze.tensor_names import reference
from tfcarve.prepare.freeze.trace import Trace
from tfcarve.prepare.graph.messages import NodeDef

_MAX_NODES = 1_000_000


def _is_loop(node: NodeDef) -> bool:
    return node.op in ("While", "StatelessWhile")


def _iterations(spliced: Spliced, loop: NodeDef, body: Body, times: int, ops: Ops) -> None:
    """Adds `times` iterations of a loop as the replacement of its node."""
    control = [i for i in loop.input if i.startswith("^")]
    values = [i for i in loop.input if not i.startswith("^")]
    before = control
    for number in range(times):
        call = NodeDef(name=spliced.names.unique(f"{loop.name}/{number}"), input=[*values, *before])
        spliced.add(call, body, ops)
        values = [reference(call.name, n) for n in range(len(values))]
        # The side effects of an iteration complete before the next one.
        before = [f"^{call.name}"] if body.effects else control
    spliced.outputs[loop.name] = values
    spliced.after[loop.name] = before if times else control


def _first_known(program: Program, max_iterations: int, ops: Ops) -> tuple[NodeDef, int]:
    """Returns a loop with a known number of iterations, and the number; raises InvalidInput if no number is known."""
    trace = Trace(program.main.nodes, ops)
    errors = []
    for node in filter(_is_loop, program.main.nodes):
        try:
            return node, count(node, program.functions, trace, ops, max_iterations)
        except InvalidInput as error:  # it may depend on another loop
            errors.append(error)
    raise errors[0]


def _once(program: Program, max_iterations: int, ops: Ops) -> Program:
    """Returns `program` with one loop of its graph unrolled."""
    main = program.main
    loop, times = _first_known(program, max_iterations, ops)
    body = program.functions[loop.attr["body"].func.name]
    if len(main.nodes) + times * len(body.nodes) > _MAX_NODES:
        raise InvalidInput(f"node {loop.name!r}: more than {_MAX_NODES:,} nodes after unrolling")
    spliced = Spliced(main)
    for node in main.nodes:
        if node is loop:
            _iterations(spliced, node, body, times, ops)
        else:
            spliced.nodes.append(node)
    keep = [node.name for node in main.nodes if node.op == "Placeholder"]
    return replace(program, main=pruned(spliced.resolve(main), keep))


def unrolled(program: Program, max_iterations: int, ops: Ops) -> Program:
    """Returns `program` without loops in its graph; loops in branches stay.

    Args:
      program: a program without variables and tables.
      max_iterations: the largest number of iterations of a loop.
      ops: the OpDefs.
    Raises InvalidInput if a loop has more iterations, or their number is unknown before the model runs.
    """
    while any(map(_is_loop, program.main.nodes)):
        program = _once(program, max_iterations, ops)
    return program
