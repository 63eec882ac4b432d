"""Gives inputs of a GraphDef a constant value, or their default, and finds inputs that have neither. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.prepare.control_flow.constants import instead_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, by_name, data_inputs, reachable, ref
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.inputs import constant_values

_WITH_DEFAULT = "PlaceholderWithDefault"


def with_constants(graph: Graph, options: Sequence[str], inputs: Sequence[str]) -> Graph:
    """Returns `graph` with constants for Placeholders.

    Args:
      graph: a graph.
      options: "NAME=VALUE".
      inputs: the tensors that the app feeds.

    Raises:
      InvalidInput: a name is not a Placeholder, is repeated or is an input, or a value does not fit.
    """
    texts = constant_values.split(options)
    known = by_name(graph)
    fed = {ref(name).node for name in inputs}
    for name, text in texts.items():
        node = known.get(name)
        constant_values.require_placeholder(name, node.op if node is not None else None, known)
        assert node is not None
        if name in fed:
            raise constant_values.also_fed(name)
        dtype = nodes.dtype(node, "dtype")
        array = constant_values.array(name, text, dtype, constant_values.dims_of(node))
        known[name] = instead_of(node, name, array, dtype)
    return graph.with_nodes(known[node.name] for node in graph.nodes)


def _unlisted(
    graph: Graph, op: str, inputs: Sequence[str], outputs: Sequence[str]
) -> Iterator[NodeDef]:
    """Yields the nodes with the op `op` that outputs need and that are not inputs."""
    fed = {ref(name).node for name in inputs}
    needed = reachable(graph, {ref(name).node for name in outputs}, fed) - fed
    yield from (node for node in graph.nodes if node.op == op and node.name in needed)


def with_defaults(
    graph: Graph, inputs: Sequence[str], outputs: Sequence[str]
) -> tuple[Graph, tuple[str, ...]]:
    """Returns `graph` with its default for each PlaceholderWithDefault that is not an input, and notes for the user."""
    notes = tuple(
        constant_values.default_note(node.name, _value(graph, node))
        for node in _unlisted(graph, _WITH_DEFAULT, inputs, outputs)
    )
    fed = {ref(name).node for name in inputs}
    created = [
        _identity(node) if node.op == _WITH_DEFAULT and node.name not in fed else node
        for node in graph.nodes
    ]
    return graph.with_nodes(created), notes


def _identity(node: NodeDef) -> NodeDef:
    created = nodes.make("Identity", node.name, map(ref, node.input))
    created.attr["T"].type, created.device = nodes.dtype(node, "dtype"), node.device
    return created


def _value(graph: Graph, node: NodeDef) -> str:
    """Returns the value of a default that is a scalar, or ""."""
    source = by_name(graph).get(data_inputs(node)[0].node)
    if source is None or source.op != "Const" or nodes.shape(source):
        return ""
    return str(nodes.value(source))


def unfed(graph: Graph, inputs: Sequence[str], outputs: Sequence[str]) -> dict[str, str]:
    """Returns the Placeholders that outputs need and that are not inputs: by name, an option that sets one, or ""."""
    return {
        node.name: constant_values.example(
            node.name,
            dtypes.from_number(nodes.dtype(node, "dtype")) or "",
            constant_values.dims_of(node),
        )
        for node in _unlisted(graph, "Placeholder", inputs, outputs)
    }


def require_fed(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Checks that a transformed graph needs no Placeholder that is not an input.

    Args:
      before: the result of `unfed` for the graph before the transforms.
      after: the result of `unfed` for the transformed graph, in which nodes may have other names.

    Raises:
      InvalidInput: it needs such a Placeholder; the message has the fix.
    """
    if not after:
        return
    named = {name: before[name] for name in before if name in after} or before or after
    option = next(filter(None, named.values()), "")
    raise InvalidInput(
        f"the outputs need {', '.join(map(repr, named))}, which --inputs does not list: add it to --inputs"
        + (f", or make it a constant: {option}" if option else "")
    )


def leftover_notes(graph: Graph, inputs: Sequence[str], outputs: Sequence[str]) -> Iterator[str]:
    """Yields notes about the Placeholders that are not inputs and that no output needs."""
    needed = reachable(graph, {ref(name).node for name in outputs})
    fed = {ref(name).node for name in inputs}
    for node in graph.nodes:
        if node.op == "Placeholder" and node.name not in needed | fed:
            yield (
                f"the Placeholder {node.name!r} is not in --inputs, and no output needs it: strip_unused_nodes removes it"
            )
