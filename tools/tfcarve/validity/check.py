"""Checks everything for which TensorFlow refuses to load a model's graph or to create its kernels. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from tfcarve.models.node_use import Function, NodeUse
from tfcarve.models.signature_def import node_of
from tfcarve.op_definition import Definition
from tfcarve.validity import bodies, edges, frames, inputs, structure, values
from tfcarve.validity.fault import Fault, Reason, fault
from tfcarve.validity.known_ops import Definitions, KnownNode, known_nodes

_EMPTY = Function()


def _sources(
    uses: Sequence[NodeUse], function: Function, name: Callable[[str], str], fed: frozenset[str]
) -> tuple[list[list[int]], list[Fault]]:
    """Returns the places of the nodes that each node depends on, and the inputs that do not exist."""
    places = {use.node: place for place, use in enumerate(uses)}
    arguments = {argument.name for argument in function.inputs}
    sources, faults = [], []
    for use in uses:
        found = []
        for text in use.inputs:
            source = text[1:] if text.startswith("^") else name(text)
            place = places.get(source)
            if place is not None:
                found.append(place)
            elif source not in arguments and use.node not in fed:
                faults.append(fault(use, inputs.UNKNOWN, f"takes {text}"))
        sources.append(found)
    return sources, faults


def _attributes(uses: Sequence[NodeUse], known: Sequence[KnownNode]) -> Iterator[Fault]:
    for use, of_use in zip(uses, known, strict=True):
        for name, wrong in of_use.faults:
            reason = Reason(f"op {use.op!r} has an invalid attribute {name!r}")
            yield fault(use, reason, f"{name} {wrong}")


def graph_faults(
    uses: Sequence[NodeUse], definitions: Definitions, fed: frozenset[str] = frozenset()
) -> Iterator[Fault]:
    """Yields the faults of a graph.

    Args:
      uses: the nodes of the graph, without the nodes of functions.
      definitions: returns the definition of an op or function; None if it is unknown: its nodes are not checked.
      fed: nodes whose values the app feeds; their inputs are not checked.
    """
    known = known_nodes(uses, definitions)
    sources, unknown = _sources(uses, _EMPTY, lambda text: inputs.tensor(text)[0], fed)
    yield from structure.node_faults(uses)
    yield from unknown
    yield from structure.cycle_faults(uses, sources)
    yield from _attributes(uses, known)
    yield from values.faults(uses, definitions)
    yield from edges.faults(uses, known, fed)
    yield from frames.faults(uses, sources)


def body_faults(
    name: str, function: Function, uses: Sequence[NodeUse], definitions: Definitions
) -> Iterator[Fault]:
    """Yields the faults of the body of a function.

    Args:
      name: of the function.
      function: the function.
      uses: the nodes of its body.
      definitions: returns the definition of an op or function, or None if it is unknown.
    """
    known = known_nodes(uses, definitions)
    sources, unknown = _sources(uses, function, node_of, frozenset())
    yield from structure.node_faults(uses)
    yield from unknown
    yield from structure.cycle_faults(uses, sources)
    yield from _attributes(uses, known)
    yield from values.faults(uses, definitions)
    yield from bodies.faults(name, function, uses, known)
    yield from frames.faults(uses, sources)


def faults(
    uses: Sequence[NodeUse],
    functions: Mapping[str, Function],
    definitions: Definitions,
    fed: frozenset[str] = frozenset(),
) -> Iterator[Fault]:
    """Yields the faults of a graph and its functions.

    Args:
      uses: the nodes of the graph, and of the functions that can run.
      functions: the functions.
      definitions: returns the definition of an op, or None if it is unknown.
      fed: nodes of the graph whose values the app feeds.
    """

    def definition(name: str) -> Definition | None:
        return functions.get(name) or definitions(name)

    grouped: dict[str, list[NodeUse]] = {"": []}
    for use in uses:
        grouped.setdefault(use.function, []).append(use)
    for name, body in grouped.items():
        if name:
            yield from body_faults(name, functions[name], body, definition)
        else:
            yield from graph_faults(body, definition, fed)
