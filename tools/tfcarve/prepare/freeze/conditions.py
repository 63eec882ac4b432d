"""Replaces conditions whose predicate has the same value in all runs with the branch that runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tfcarve.errors import InvalidInput
from tfcarve.prepare.control_flow import predicates
from tfcarve.prepare.control_flow.dead_branches import Branches
from tfcarve.prepare.freeze.bodies import Body, copied, with_inputs
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.known_values import KnownValues, ValueOf
from tfcarve.prepare.freeze.links import MAIN, Links
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.prune import has_side_effects, without_redundant_control_inputs
from tfcarve.prepare.freeze.splice import Spliced
from tfcarve.prepare.freeze.stores import Stores
from tfcarve.prepare.graph.graph import ref
from tfcarve.prepare.graph.messages import NodeDef


def _without_switches(body: Body, taken: Mapping[str, int]) -> Body:
    branches = Branches(body.nodes, taken)
    for result in body.results:
        if branches.is_dead(ref(result.tensor)):
            (name, *_) = sorted(branches.deciding(ref(result.tensor).node))
            raise InvalidInput(
                f"the output {result.name!r} never has a value: it is in a branch of {name!r} that does not run"
            )
    nodes, renamed = branches.pruned()
    names = {node.name for node in nodes}
    results = (
        replace(r, tensor=renamed.get(ref(r.tensor), ref(r.tensor)).text()) for r in body.results
    )
    effects = tuple(effect for effect in body.effects if effect in names)
    return replace(body, nodes=tuple(nodes), results=tuple(results), effects=effects)


def _with_called(body: Body, called: Mapping[str, Body], ops: Ops) -> Body:
    """Returns `body` with the functions in place of the If and Case nodes that call them."""
    spliced = Spliced(body)
    for node in body.nodes:
        if node.name in called:
            others = list(node.input)[1:]  # without the selector
            spliced.add(with_inputs(copied(node), others), called[node.name], ops)
        else:
            spliced.nodes.append(node)
    return spliced.resolve(body)


def _once(program: Program, keep: Sequence[str], value_of: ValueOf, ops: Ops) -> Program:
    """Returns `program` without conditions whose predicate is known now, or `program` itself if it has none."""
    links = Links(program)
    known = KnownValues(links, Stores(links, ops), value_of, ops)
    created = dict(links.bodies)
    for name, body in links.bodies.items():
        scalar = partial(known.scalar, name)
        taken = dict(predicates.taken(body.nodes, scalar))
        called = {
            node.name: program.functions[function.name]
            for node in body.nodes
            if (function := predicates.branch(node, scalar)) is not None
        }
        if taken:
            body = _without_switches(body, taken)
        if called:
            body = _with_called(body, called, ops)
        created[name] = body
    if all(created[name] is links.bodies[name] for name in created):
        return program

    def is_stateful(node: NodeDef) -> bool:
        return has_side_effects(node, created, ops)

    pruned = {
        name: without_redundant_control_inputs(body, is_stateful, keep if name == MAIN else ())
        for name, body in created.items()
    }
    return Program(pruned.pop(MAIN), pruned)


def without_constant_conditions(
    program: Program, keep: Sequence[str], value_of: ValueOf, ops: Ops
) -> Program:
    """Returns `program` without the conditions whose predicate does not depend on its inputs.

    Args:
      program: a graph and the functions of its control flow, with variables.
      keep: names of Placeholders, which stay whether they are used or not.
      value_of: returns the value of the variable that a node creates; raises InvalidInput if it is unknown.
      ops: the OpDefs.

    Raises:
      InvalidInput: an output is in a branch that never runs, or a body has a cycle.
    """
    while True:
        created = _once(program, keep, value_of, ops)
        if created is program:
            return program
        program = created
