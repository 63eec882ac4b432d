"""Finds the inputs of a graph that only training changes. Pure."""

from collections.abc import Collection, Iterator, Sequence

from tfcarve import dtypes
from tfcarve.prepare.graph.graph import data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.inputs import constant_values

# How dropout reads the share of values that it keeps or drops: the op, and the number of its input; and the ops that
# compute one from the other.
_RATES = frozenset((("Div", 1), ("RealDiv", 1), ("GreaterEqual", 1)))
_OF_RATES = frozenset(("Cast", "Identity", "Sub"))
_RANDOM = ("Random", "StatelessRandom")


def _rates(nodes: Sequence[NodeDef]) -> set[str]:
    """Returns the nodes that dropout may scale with."""
    known = {node.name: node for node in nodes}
    todo = [
        source.node
        for node in nodes
        for number, source in enumerate(data_inputs(node))
        if (node.op, number) in _RATES
    ]
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            node = known.get(name)
            if node is not None and node.op in _OF_RATES:
                todo += [source.node for source in data_inputs(node)]
    return found


def notes(nodes: Sequence[NodeDef], inputs: Collection[str]) -> Iterator[str]:
    """Yields notes, for the user, about the inputs that may matter only for training.

    Such inputs are bools, and numbers by which dropout scales. They are scalars or have an unknown rank.
    """
    is_random = any(node.op.startswith(_RANDOM) for node in nodes)
    rates = _rates(nodes) if is_random else set()
    for node in nodes:
        if node.op != "Placeholder" or node.name not in inputs:
            continue
        shape = node.attr["shape"].shape if "shape" in node.attr else None
        dtype = dtypes.from_number(node.attr["dtype"].type) or ""
        is_scalar = shape is None or shape.unknown_rank or not shape.dim
        if is_scalar and (dtype == "bool" or (dtype.startswith("float") and node.name in rates)):
            option = constant_values.example(node.name, dtype, None)
            yield (
                f"if the input {node.name!r} matters only for training, {option} makes it a constant and removes nodes that "
                "only training needs"
            )
