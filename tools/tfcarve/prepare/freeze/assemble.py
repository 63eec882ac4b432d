"""Builds one body from the graph to freeze: inputs are Placeholders, outputs have their final names. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tfcarve.models.node_names import Names
from tfcarve.prepare.freeze.bodies import Body, Result, copied, with_inputs
from tfcarve.prepare.freeze.interface import Interface, Port
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.nodes import make
from tfcarve.prepare.freeze.ops import CALLS, CONTROL_FLOW
from tfcarve.prepare.freeze.tensor_names import parsed, reference
from tfcarve.prepare.graph.graph import CONTROL
from tfcarve.prepare.graph.messages import NodeDef


@dataclass(frozen=True, slots=True)
class Assembled:
    """A graph with its inputs and outputs.

    Attributes:
      body: its results are the outputs, its effects the initializers.
      renamed: the old names of renamed nodes, by new name.
    """

    body: Body
    renamed: Mapping[str, str]


def _is_unchanged(
    port: Port, cut: Iterable[str], ops: Mapping[str, str], functions: set[str]
) -> bool:
    """Returns whether an output is an existing node with the right name that stays."""
    op = ops.get(port.name, "")
    is_call = op in CALLS or op in CONTROL_FLOW or op in functions
    return port.tensor == port.name and port.tensor not in cut and not is_call


def _placeholder(port: Port) -> NodeDef:
    node = make(port.name, "Placeholder", [], {"dtype": port.dtype})
    node.attr["shape"].shape.CopyFrom(port.shape)
    return node


def assembled(loaded: Loaded, interface: Interface) -> Assembled:
    """Returns the graph of `loaded` with the inputs and outputs of `interface`."""
    nodes = loaded.graph.node
    inputs = interface.inputs or ()
    cut = {port.tensor: port.name for port in inputs}
    ops = {node.name: node.op for node in nodes}
    functions = {f.signature.name for f in loaded.graph.library.function}
    unchanged = {p.name for p in interface.outputs if _is_unchanged(p, cut, ops, functions)}
    wanted = {port.name for port in (*inputs, *interface.outputs)}
    names = Names({*ops, *wanted})
    new = {name: names.unique(name) for name in ops if name in wanted - unchanged}

    def rewired(text: str) -> str:
        if text in cut:
            return cut[text]
        name, port = parsed(text)
        # A control input from a replaced Placeholder becomes one from the new Placeholder.
        if port == CONTROL and cut.get(name):
            return f"^{cut[name]}"
        return reference(new.get(name, name), port)

    body: list[NodeDef] = [_placeholder(port) for port in inputs]
    for node in nodes:
        own = with_inputs(node, [rewired(_plain(i)) for i in node.input])
        if node.name in new:
            own = copied(own)
            own.name = new[node.name]
        body.append(own)
    results = []
    for port in interface.outputs:
        tensor = rewired(port.tensor)
        if port.name not in unchanged:
            body.append(make(port.name, "Identity", [tensor], {"T": port.dtype}))
        results.append(Result(port.name, port.dtype, port.name))
    effects = [new.get(name, name) for name in loaded.preparing if name in ops]
    renamed = {to: name for name, to in new.items()}
    return Assembled(Body(tuple(body), (), tuple(results), tuple(effects)), renamed)


def _plain(text: str) -> str:
    """Returns an input in its canonical form: `a`, not `a:0`."""
    return reference(*parsed(text))
