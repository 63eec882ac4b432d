"""Removes the side effects that no output needs; rejects a program if an output needs one. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tfcarve import listing
from tfcarve.prepare.freeze.bodies import Body, copied, with_inputs
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.links import MAIN
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.prune import has_side_effects, without_redundant_control_inputs
from tfcarve.prepare.freeze.removable import KINDS, Removable
from tfcarve.prepare.freeze.removal import without_nodes
from tfcarve.prepare.graph.graph import data_texts
from tfcarve.prepare.graph.messages import NodeDef


@dataclass(frozen=True, slots=True)
class WithoutEffects:
    """A program without side effects that no output needs.

    Attributes:
      program: the program.
      notes: the removed nodes, for the user.
    """

    program: Program
    notes: tuple[str, ...]


def _without_print(node: NodeDef) -> NodeDef:
    """Returns the Identity that replaces a Print, which returns its first input."""
    control = [text for text in node.input if text.startswith("^")]
    created = with_inputs(copied(node), [*data_texts(node)[:1], *control])
    created.op = "Identity"
    for key in [key for key in created.attr if key != "T"]:
        del created.attr[key]
    return created


def _without_prints(program: Program, found: dict[str, None]) -> Program:
    """Returns `program` without Print nodes, whose names are added to `found`."""

    def of(body: Body) -> Body:
        names = dict.fromkeys(node.name for node in body.nodes if node.op == "Print")
        found.update(names)
        kept = (_without_print(node) if node.name in names else node for node in body.nodes)
        return replace(body, nodes=tuple(kept)) if names else body

    return Program(of(program.main), {name: of(body) for name, body in program.functions.items()})


def without_effects(
    program: Program, keep: Sequence[str], keeps_assertions: bool, ops: Ops
) -> WithoutEffects:
    """Removes updates of variables and tables, prints, summaries and input pipelines that no output needs.

    Args:
      program: a graph and the functions of its control flow, with variables, without unneeded nodes.
      keep: names of Placeholders, which stay whether they are used or not.
      keeps_assertions: whether Assert nodes stay; their conditions are then needed like outputs.
      ops: the OpDefs.

    Raises:
      InvalidInput: an output reads a variable that the model updates, or needs an input pipeline; the message has the way
        from the update to the output.
    """
    prints: dict[str, None] = {}
    removable = Removable(_without_prints(program, prints), keeps_assertions, ops)
    removable.find()
    removable.named["print"] = prints | removable.named["print"]
    bodies = {
        name: without_nodes(body, removable.removed[name])
        for name, body in removable.links.bodies.items()
    }

    def is_stateful(node: NodeDef) -> bool:
        return has_side_effects(node, bodies, ops)

    left = {
        name: without_redundant_control_inputs(body, is_stateful, keep if name == MAIN else ())
        for name, body in bodies.items()
    }
    notes = tuple(
        f"removed {what}: {listing.first(list(removable.named[kind]))}"
        for kind, what in KINDS.items()
        if removable.named[kind]
    )
    return WithoutEffects(Program(left.pop(MAIN), left), notes)
