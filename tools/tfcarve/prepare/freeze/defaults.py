"""Replaces each PlaceholderWithDefault that is not an input with its default."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.bodies import Body, copied
from tfcarve.prepare.freeze.inline import Program
from tfcarve.prepare.freeze.links import MAIN, Links, Vertex
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import data_texts
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.inputs import constant_values

_OP = "PlaceholderWithDefault"


def _identity(node: NodeDef) -> NodeDef:
    created = copied(node)
    created.op = "Identity"
    created.ClearField("attr")
    created.attr["T"].CopyFrom(node.attr["dtype"])
    return created


def _of(body: Body, inputs: Collection[str]) -> Body:
    nodes = (
        _identity(node) if node.op == _OP and node.name not in inputs else node
        for node in body.nodes
    )
    return replace(body, nodes=tuple(nodes))


def with_defaults(program: Program, inputs: Collection[str]) -> Program:
    """Returns `program` with the defaults of inputs that are not in `inputs`."""
    functions = {name: _of(body, ()) for name, body in program.functions.items()}
    return Program(_of(program.main, inputs), functions)


def notes(program: Program, inputs: Collection[str]) -> Iterator[str]:
    """Yields, for the user, the inputs of `program` that outputs need and with_defaults replaces."""
    links = Links(program)
    roots = [Vertex(MAIN, *parsed(result.tensor)) for result in program.main.results]
    reached = {vertex.node for vertex in links.reached(roots) if vertex.body == MAIN}
    for node in program.main.nodes:
        if node.op == _OP and node.name in reached and node.name not in inputs:
            data = data_texts(node)
            default = links.nodes[MAIN].get(parsed(data[0])[0]) if data else None
            yield constant_values.default_note(node.name, _shown(default))


def _shown(default: NodeDef | None) -> str:
    """Returns the value of a scalar, or ""."""
    if default is None or default.op != "Const" or default.attr["value"].tensor.tensor_shape.dim:
        return ""
    try:
        return str(tensors.to_array(default.attr["value"].tensor, default.name)[()])
    except InvalidInput:
        return ""
