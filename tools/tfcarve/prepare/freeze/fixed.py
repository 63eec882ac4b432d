"""Gives Placeholders of a graph the values of --constant."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tfcarve.errors import InvalidInput
from tfcarve.models.node_names import meant
from tfcarve.prepare.freeze.interface import Interface, Port
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.nodes import constant
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.inputs import constant_values


def _node_name(name: str, inputs: Mapping[str, Port], options: Options) -> str:
    """Returns the node that a name of --constant stands for: an input of the signature, or the node itself."""
    if name not in inputs:
        return name
    if options.inputs:
        raise constant_values.also_fed(name)
    return parsed(inputs[name].tensor)[0]


def values(loaded: Loaded, wanted: Interface, options: Options) -> dict[str, Array]:
    """Returns the values of --constant, by the name of their Placeholder.

    Args:
      loaded: the graph.
      wanted: its inputs and outputs.
      options: the user's options.

    Raises:
      InvalidInput: a name is neither a Placeholder nor an input of the signature, is repeated or is also in --inputs, or a
        value does not fit.
    """
    texts = constant_values.split(options.constants)
    if not texts:
        return {}
    nodes: dict[str, NodeDef] = {node.name: node for node in loaded.graph.node}
    inputs = {port.name: port for port in wanted.inputs or ()}
    found: dict[str, Array] = {}
    for given, text in texts.items():
        name = meant(given, inputs, {port.given: port.name for port in inputs.values()})
        key = _node_name(name, inputs, options)
        op = nodes[key].op if key in nodes else None
        constant_values.require_placeholder(name, op, nodes.keys() | inputs.keys())
        if key in found:
            raise InvalidInput(f"--constant {name}: is passed twice: {key!r} names this input too")
        node = nodes[key]
        found[key] = constant_values.array(
            name, text, node.attr["dtype"].type, constant_values.dims_of(node)
        )
    return found


def without_inputs(wanted: Interface, fixed: Mapping[str, Any]) -> Interface:
    """Returns the inputs and outputs without the inputs `fixed`, which have a value."""
    if wanted.inputs is None:
        return wanted
    return replace(
        wanted, inputs=tuple(p for p in wanted.inputs if parsed(p.tensor)[0] not in fixed)
    )


def with_constants(loaded: Loaded, fixed: Mapping[str, Array]) -> Loaded:
    """Returns `loaded` with constants for the Placeholders `fixed`; its graph is modified."""
    for node in loaded.graph.node:
        if node.name in fixed:
            control = [text for text in node.input if text.startswith("^")]
            node.CopyFrom(constant(node.name, fixed[node.name], control))
    return loaded
