"""Checks that a graph is frozen. Pure."""

from collections.abc import Collection, Iterator

from tfcarve.models.node_use import Model, NodeUse
from tfcarve.prepare.inputs import constant_values

_VARIABLES = frozenset((
    "VarHandleOp", "VarHandlesOp", "ReadVariableOp", "Variable", "VariableV2", "AutoReloadVariable",
    "TemporaryVariable",
))  # fmt: skip
_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall", "RemoteCall"))
_PLACEHOLDERS = frozenset(("Placeholder", "PlaceholderV2"))


def variables(model: Model) -> Iterator[NodeUse]:
    """Yields the nodes of `model` that create or read a variable."""
    yield from (use for use in model.nodes if use.op in _VARIABLES)


def _kind(use: NodeUse) -> str:
    if use.op in _VARIABLES:
        return "a variable"
    if use.op in _CALLS:
        return "a function call"
    if "Table" in use.op and not use.op.startswith("LookupTable"):
        return "a lookup table"
    return ""


def _option(use: NodeUse) -> str:
    """Returns an option that makes a Placeholder a constant, or ""."""
    dtype, shape = use.attrs.get("dtype"), use.attrs.get("shape")
    dims = shape.value if shape is not None and shape.kind == "shape" else None
    return constant_values.example(use.node, str(dtype.value) if dtype is not None else "", dims)


def problem(model: Model, inputs: Collection[str]) -> str:
    """Returns why `model` is not a frozen graph, or "" if it is one.

    Args:
      model: the graph.
      inputs: the names of its inputs; nothing feeds other Placeholders.
    """
    stray = sorted(
        {u.node for u in model.nodes if not u.function and u.op in _PLACEHOLDERS} - set(inputs)
    )
    if stray:
        option = next(filter(None, map(_option, (u for u in model.nodes if u.node in stray))), "")
        return (
            f"the outputs need {', '.join(map(repr, stray[:10]))}, which nothing feeds: add them to --inputs, "
            + (f"make them constants ({option}), " if option else "")
            + "or choose --outputs that do not need them"
        )
    called = {use.op for use in model.nodes} & set(model.functions)
    for use in model.nodes:
        kind = "a function call" if use.op in called else _kind(use)
        if kind:
            return f"{use.place()} is {kind} ({use.op}), which freezing does not replace"
    return ""
